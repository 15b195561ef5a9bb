import { config } from 'zod'

/**
 * zod tries `new Function` when a schema is made, which the policy of the page reports as a violation. Imported for
 * its effect, before anything that makes a schema.
 */
config({ jitless: true })
