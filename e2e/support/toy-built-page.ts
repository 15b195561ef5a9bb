import { TOY_PAGE, TOY_PRELOAD } from './build-toy.ts'

/** Takes the place of `electron/web/built-page.ts` beside the toy workbench. */
export const builtPageFolder = () => TOY_PAGE
export const builtPreload = () => TOY_PRELOAD
