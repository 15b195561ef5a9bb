import { defaultSchema, type Options } from 'rehype-sanitize'

/** What markdown may become. No raw HTML gets this far: it is turned into text first. */
export const sanitizeSchema: Options = {
  ...defaultSchema,
  protocols: { href: ['http', 'https', 'mailto'], src: ['http', 'https', 'data'] },
}
