/** The text of a style sheet: Vite puts it into the build of the server. */
declare module '*.css?raw' {
  const text: string
  export default text
}
