import type { ErrorCode } from '#shared/errors.ts'

/** What happened, and one thing to do about it. The object is named by whoever shows it. */
export interface ErrorText {
  readonly what: string
  readonly todo: string
}

const text = (what: string, todo: string): ErrorText => ({ what, todo })

const TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  BAD_REQUEST: text('The request was not understood.', 'Reload the window and try again.'),
  SESSION_NOT_FOUND: text(
    'The session is gone.',
    'It may be in the trash, or was removed by another window.',
  ),
  SUBAGENT_NOT_FOUND: text('The child is gone.', 'Its record may have been removed with its session.'),
  SESSION_EXISTS: text('A session with this id exists already.', 'Try again: a new id is chosen.'),
  SESSION_BUSY: text('The session is at work.', 'Wait until its turn ends, or stop it first.'),
  WORK_RUNNING: text('Agents are at work in it.', 'Wait until they are done, or stop them first.'),
  SESSION_DAMAGED: text('The record is damaged.', 'Open what is readable, or continue in a new session.'),
  SESSION_READ_ONLY: text('The session can only be read.', 'Continue in a new session with this history.'),
  SESSION_VERSION: text('The record was written by a newer Espalier.', 'Update Espalier to work with it.'),
  SEQ_CONFLICT: text('Another writer changed the session meanwhile.', 'Nothing was lost. Try again.'),
  NOT_SAVED: text(
    'It could not be saved yet.',
    'Check the free space of the disk; saving goes on by itself.',
  ),
  STORE_UNAVAILABLE: text('The data folder cannot be used now.', 'Check the disk it is on, then try again.'),
  STORE_READ_ONLY: text('The data folder can only be read.', 'Check its permissions, or update Espalier.'),
  DATA_FOLDER_LOCKED: text(
    'Another Espalier uses this data folder.',
    'Close it, or choose another data folder.',
  ),
  FOLDER_MISSING: text('The folder is not there.', 'Put it back, or open another folder.'),
  MODEL_UNKNOWN: text('No such model.', 'Choose another model, or add its provider in the settings.'),
  MODEL_KEY_MISSING: text('The provider has no key.', 'Add the key in the settings, under Providers.'),
  MODEL_REFUSED: text('The provider refused the request.', 'Check the key and the plan it belongs to.'),
  MODEL_UNREACHABLE: text(
    'The provider cannot be reached.',
    'Check the network and the address of the provider.',
  ),
  MODEL_FAILED: text('The model failed.', 'Send the message again, or choose another model.'),
  APPROVAL_NOT_OPEN: text('The question is no longer open.', 'It was answered elsewhere, or its turn ended.'),
  IMPORT_FAILED: text('The import did not work.', 'Check that the folder can be read. Nothing was changed.'),
  CANCELLED: text('It was cancelled.', 'Start it again when you want it.'),
  INTERNAL: text('Something went wrong inside Espalier.', 'Try again. The log has the details.'),
  DUPLICATE_PROVIDER: text('Two providers of children have one name.', 'Restart Espalier.'),
  NO_PROVIDER: text('Nothing here can start this kind of child.', 'Choose another kind.'),
  UNSUPPORTED_CAPABILITY: text('This kind of child cannot do that.', 'Start a child of another kind.'),
  CONTINUATION_UNAVAILABLE: text('Children cannot be continued here.', 'Continue in a new session.'),
  PERSISTENCE_UNAVAILABLE: text('There is nowhere to keep the child.', 'Check the data folder, then retry.'),
  DUPLICATE_CHILD: text('A child with this id exists already.', 'Try again: a new id is chosen.'),
  NOT_RESUMABLE: text('This child cannot be resumed.', 'Continue in a new session with its history.'),
  UNAUTHORIZED: text('Someone else holds this session.', 'Wait until it is released, then try again.'),
  ACTIVATION_CLOSING: text('The child is just ending.', 'Try again in a moment.'),
  DRAINING: text('Espalier is closing.', 'Send it again after the next start.'),
  PARENT_UNAVAILABLE: text(
    'The parent of this child cannot be reached.',
    'Resume the child from its own page.',
  ),
  ACTIVATION_TEARDOWN_FAILED: text(
    'The child did not end cleanly.',
    'Its record is kept. Retry, or restart Espalier.',
  ),
  DEPTH_EXCEEDED: text(
    'Children may not be nested deeper.',
    'Raise the depth in the settings, under Limits.',
  ),
  LIMIT_EXCEEDED: text('A limit was reached.', 'Raise it in the settings, under Limits.'),
  SUBAGENT_CONTROL_PROJECTIONS_UNAVAILABLE: text(
    'Children cannot be listed: no projections.',
    'Restart Espalier.',
  ),
  SUBAGENT_CONTROL_SESSION_STORE_UNAVAILABLE: text(
    'Children cannot be listed: no sessions.',
    'Restart Espalier.',
  ),
}

export function errorText(code: ErrorCode): ErrorText {
  return TEXTS[code]
}
