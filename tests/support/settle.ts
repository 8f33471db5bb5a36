/** Waits 150 ms, so that everything that a late answer could start has ended. For a check that something did not happen. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await new Promise(resolve => setTimeout(resolve, 5))
}
