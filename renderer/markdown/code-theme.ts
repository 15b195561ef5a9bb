import type { ThemeRegistrationRaw } from 'shiki/core'

/** The classes a piece of code may have: three colours, a comment colour, and plain. */
export type CodeClass = 'k' | 's' | 't' | 'c' | ''

const COLOURS: Readonly<Record<Exclude<CodeClass, ''>, string>> = {
  k: '#000001',
  s: '#000002',
  t: '#000003',
  c: '#000004',
}

/** Shiki wants colours; these stand for classes, and the tokens of the window decide what they look like. */
export const codeTheme: ThemeRegistrationRaw = {
  name: 'espalier',
  type: 'light',
  settings: [
    { settings: { foreground: '#000000', background: '#ffffff' } },
    {
      scope: [
        'keyword',
        'storage',
        'storage.type',
        'entity.name.tag',
        'markup.heading',
        'punctuation.definition.heading',
      ],
      settings: { foreground: COLOURS.k },
    },
    { scope: ['keyword.operator'], settings: { foreground: '#000000' } },
    { scope: ['keyword.operator.new', 'keyword.operator.expression'], settings: { foreground: COLOURS.k } },
    { scope: ['string', 'markup.inserted', 'constant.other.symbol'], settings: { foreground: COLOURS.s } },
    {
      scope: [
        'entity.name.type',
        'entity.name.class',
        'entity.name.namespace',
        'entity.other.inherited-class',
        'support.type',
        'support.class',
        'constant.language',
        'variable.other.enummember',
        'entity.name.function.macro',
        'entity.other.attribute-name',
        'markup.deleted',
      ],
      settings: { foreground: COLOURS.t },
    },
    {
      scope: ['comment', 'punctuation.definition.comment', 'markup.quote'],
      settings: { foreground: COLOURS.c },
    },
  ],
}

const CLASSES = new Map<string, CodeClass>(
  Object.entries(COLOURS).map(([name, colour]) => [colour, name as Exclude<CodeClass, ''>]),
)

export function classOf(colour: string | undefined): CodeClass {
  return CLASSES.get((colour ?? '').toLowerCase()) ?? ''
}
