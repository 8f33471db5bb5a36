/** Returns the wallet or gateway as its operator writes it: the API calls wallets `Orange-Money` and `MTN-Money`. */
export function walletName(method: string): string {
  return method === 'MTN-Money' ? 'MTN MoMo' : method.replaceAll('-', ' ')
}
