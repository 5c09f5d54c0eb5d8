import { timeBudget } from '../../src/base/time.js';
import type { SourceArgs } from '../../src/cli/sources/source-flags.js';

/** Returns the source flags of a command line with only `--from` and `more`. */
export function sourceArgs(
  from: readonly string[] | undefined,
  more: Partial<SourceArgs> = {},
): SourceArgs {
  return {
    from,
    insecureRegistry: undefined,
    pullSecret: undefined,
    trace: false,
    offline: false,
    cache: undefined,
    concurrency: 8,
    timeout: timeBudget(600),
    ...more,
  };
}
