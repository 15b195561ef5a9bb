import { z } from 'zod'

/** A banner is named by the id it was raised with. One that is gone meanwhile is no error. */
export const bannerRefSchema = z.object({ bannerId: z.string().min(1) })
