import { timeBudget } from '../../src/model/time/time-budget.js';
import type { SourceArgs } from '../../src/cli/flags/source/source-flags.js';

/** What a command is given where only `--from`, and `more`, are on its command line. */
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
