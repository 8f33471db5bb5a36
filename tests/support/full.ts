export const full = process.env['FULL'] === '1'
