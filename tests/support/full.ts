/** `npm run test:full` looks at far more cases than a person waits for. */
export const isFull = process.env['FULL'] === '1'
