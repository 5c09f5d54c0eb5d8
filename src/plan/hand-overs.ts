import type { Repository } from '../model/package.js';
import type { Cause, Clash } from './clash.js';
import type { Journey } from './journey.js';

/**
 * Which packages give objects to another, or take them.
 *
 * Giver and taker wait for each other: the taker cannot own what the giver still has, and the giver
 * may not go before. So a hand-over is made as one, together with packages that need the giver
 * before and the taker after.
 */
export class HandOvers {
  readonly #parties: ReadonlySet<Repository>;

  constructor(clashes: readonly Clash[], { routes }: Journey) {
    this.#parties = new Set(
      clashes.flatMap(({ positions, cause }) =>
        cause.rule === 'owner'
          ? positions.flatMap(({ route }) => routes[route]?.repository ?? [])
          : [],
      ),
    );
  }

  /** Whether all the reasons for an order are of hand-overs, and do not hold within one. */
  explain(causes: readonly Cause[]): boolean {
    return causes.length > 0 && causes.every((cause) => this.#isPart(cause));
  }

  #isPart(cause: Cause): boolean {
    if (cause.rule === 'missing') return this.#parties.has(cause.required);
    return cause.rule === 'owner' || cause.rule === 'kept';
  }
}
