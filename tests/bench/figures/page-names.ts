/** The pages of the bench, as the report names them. Those of the form libraries have their names in `peers.ts`. */
export const pageNames = {
  staticPage: 'static page, one field',
  worker: 'static page with a small service worker',
  react: 'React 19, one field',
  portal: 'the portal, /mobile',
  form: 'the portal’s form, which saves during typing',
} as const
