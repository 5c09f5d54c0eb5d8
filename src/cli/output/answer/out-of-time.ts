/** How it is told that `--timeout` ran out, and while waiting for what. */
export function outOfTimeText(reason: string): { readonly line: string; readonly hint: string } {
  return {
    line: `gave up: ${reason}`,
    hint: 'nothing was written; raise --timeout, or see with --trace what is slow',
  };
}
