import { CROSSPLANE, type Position } from './clash.js';
import type { Journey, Route, Stop } from './journey.js';

/** From one stop of a route to the next: of Crossplane an upgrade, of a package what is applied. */
export interface Leg {
  readonly route: number;
  /** Number of the stop that it leads to. */
  readonly to: number;
}

/** The legs of a journey; each exists once, so that they can be compared. */
export class Legs {
  readonly all: readonly Leg[];
  readonly #byRoute: ReadonlyMap<number, readonly Leg[]>;

  constructor({ routes, releases }: Journey) {
    this.#byRoute = new Map([
      [CROSSPLANE, legsOf(CROSSPLANE, releases.length)],
      ...routes.map(({ stops }, route) => [route, legsOf(route, stops.length)] as const),
    ]);
    this.all = [...this.#byRoute.values()].flat();
  }

  /** Of one route, from first to last. */
  of(route: number): readonly Leg[] {
    return this.#byRoute.get(route)!;
  }

  /** The leg that leads to a position; undefined: the journey begins there. */
  into({ route, stop }: Position): Leg | undefined {
    return this.of(route)[stop - 1];
  }

  /** The leg that leads on from a position; undefined: the journey ends there. */
  outOf({ route, stop }: Position): Leg | undefined {
    return this.of(route)[stop];
  }
}

function legsOf(route: number, stops: number): readonly Leg[] {
  return Array.from({ length: stops - 1 }, (_, at) => ({ route, to: at + 1 }));
}

/** The ends of a leg of a package. */
export function endsOf({ to }: Leg, { stops }: Route): [Stop | undefined, Stop | undefined] {
  return [stops[to - 1], stops[to]];
}
