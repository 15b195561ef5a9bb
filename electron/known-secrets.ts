import { kindOfName } from '#shared/redaction/secret-names.ts'

/** What this process knows to be secret, for redaction by exact value. */
export interface KnownSecrets {
  /** `source` is asked whenever something is written or exported; it never throws. */
  add(source: () => readonly string[]): void
  values(): readonly string[]
}

/** Shorter values of variables are words ("enabled") as often as secrets. */
const SHORTEST = 8

/** Begins with the variables of the environment whose names say that they are secret. */
export function createKnownSecrets(env: Readonly<Record<string, string | undefined>>): KnownSecrets {
  const fromEnv = Object.entries(env).flatMap(([name, value = '']) =>
    value.length >= SHORTEST && kindOfName(name) !== null ? [value] : [],
  )
  const sources: (() => readonly string[])[] = [() => fromEnv]
  return {
    add: source => void sources.push(source),
    values: () => sources.flatMap(source => source()),
  }
}
