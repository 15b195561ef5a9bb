/** Of every database of ours. It is chosen when a file is made and never changes. */
export const PAGE_BYTES = 8192
