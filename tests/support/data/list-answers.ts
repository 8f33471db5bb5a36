/**
 * The `data` of a server's answers to the requests of the payment and the booking, by address. Each list has at most one row.
 * `WHITELIST`: the applicant has paid in the old system, so there is no method to choose.
 */
export const listAnswers: Record<string, unknown> = {
  '/payments/payment-methods': [{ type: 'WHITELIST', enable: true, fee: 0, currency: 'XAF' }],
  '/payments': [],
  '/payments/applications/app-1/attempts': [],
  '/appointments/countries': { data: [{ id: '1', name: 'Cameroun' }] },
  '/appointments/countries/1/cities': { data: [{ id: '2', name: 'Yaoundé' }] },
  '/appointments/offices': { data: [{ id: '3', name: 'Yaoundé Centre', address: '' }] },
  '/appointments/offices/3/available-dates': { data: [] },
}
