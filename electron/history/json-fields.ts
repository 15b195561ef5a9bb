import type { z } from 'zod'

export type JsonValue = z.core.util.JSONType
export type JsonRecord = { readonly [key: string]: JsonValue }

/** Reads of foreign JSON. None of them throws; what is absent or of another type is `null` (or empty). */

export function asRecord(value: JsonValue | undefined): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
}

export function field(record: JsonRecord | null, key: string): JsonValue | undefined {
  return record !== null && Object.hasOwn(record, key) ? record[key] : undefined
}

export function textField(record: JsonRecord | null, key: string): string | null {
  const value = field(record, key)
  return typeof value === 'string' ? value : null
}

export function recordField(record: JsonRecord | null, key: string): JsonRecord | null {
  return asRecord(field(record, key))
}

export function listField(record: JsonRecord | null, key: string): readonly JsonValue[] {
  const value = field(record, key)
  return Array.isArray(value) ? value : []
}

/** A finite number, zero or above. */
export function countField(record: JsonRecord | null, key: string): number | null {
  const value = field(record, key)
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

export function isTrue(record: JsonRecord | null, key: string): boolean {
  return field(record, key) === true
}
