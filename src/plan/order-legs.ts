import { strongComponents } from '../lock/graph/strong-components.js';
import { isNewer } from '../model/target/target.js';
import { CROSSPLANE, type Cause, type Clash } from './clash.js';
import { cycleClash } from './clashes/cycle-clash.js';
import { ownershipClashes } from './clashes/ownership-clashes.js';
import { releaseClashes } from './clashes/release-clashes.js';
import { requirementClashes } from './clashes/requirement-clashes.js';
import { HandOvers } from './hand-overs.js';
import type { Journey } from './journey.js';
import { layersOf, type Layer } from './layers.js';
import { Legs, type Leg } from './leg.js';
import { Precedences, shortestCircle, type Precedence } from './precedence.js';

/** Ways to avoid clashes that are tried before the search gives up. */
const MAX_TRIES = 1_000;

export type Ordering =
  | {
      readonly found: true;
      readonly layers: readonly Layer[];
      readonly precedences: readonly Precedence[];
      /** Rules that are broken at the start, and stay so for a while. */
      readonly brokenBefore: readonly Cause[];
    }
  | {
      readonly found: false;
      /** `end`: where the journey ends; `order`: on every way there; `gave-up`: not known. */
      readonly where: 'end' | 'order' | 'gave-up';
      readonly causes: readonly Cause[];
      /** The causes of all ways that were tried: without a stop more on a route of these, there is none. */
      readonly blamed: readonly Cause[];
    };

type Failed = Extract<Ordering, { found: false }>;

const GAVE_UP: Failed = { found: false, where: 'gave-up', causes: [], blamed: [] };

function failedBy(causes: readonly Cause[], blamed = causes): Failed {
  return { found: false, where: 'order', causes, blamed };
}

/** A clash that more than one order of legs avoids: any one of these pairs, the first before the second. */
interface Choice {
  readonly pairs: readonly (readonly [before: Leg, after: Leg])[];
  readonly cause: Cause;
}

/**
 * An order of the legs in which no clash comes about, in as few layers as may be.
 *
 * Most clashes are of two legs, and say which comes first. Only where a rule depends on the release
 * of Crossplane, or a package has stops between, is there a choice, and something to search.
 */
export function orderLegs(journey: Journey): Ordering {
  return new OrderSearch(journey).run();
}

class OrderSearch {
  readonly #journey: Journey;
  readonly #legs: Legs;
  readonly #handOvers: HandOvers;
  readonly #clashes: readonly Clash[];
  readonly #upwards: boolean;
  #tries = 0;

  constructor(journey: Journey) {
    this.#journey = journey;
    this.#legs = new Legs(journey);
    this.#clashes = [
      ...requirementClashes(journey),
      ...ownershipClashes(journey),
      ...releaseClashes(journey),
    ];
    this.#handOvers = new HandOvers(this.#clashes, journey);
    this.#upwards = isNewer(journey.releases.at(-1)!, journey.releases[0]!);
  }

  run(): Ordering {
    const precedences = new Precedences(this.#legs.all);
    for (const leg of this.#legs.all) {
      const next = this.#legs.outOf({ route: leg.route, stop: leg.to });
      if (next !== undefined) precedences.add(leg, next);
    }
    const brokenBefore: Cause[] = [];
    const atEnd: Cause[] = [];
    const choices: Choice[] = [];
    for (const clash of this.#clashes) {
      const { done, ahead } = this.#around(clash);
      if (done.length === 0) brokenBefore.push(clash.cause);
      else if (ahead.length === 0) atEnd.push(clash.cause);
      else {
        const choice = this.#choiceOf(clash);
        const [only, ...others] = choice.pairs;
        if (only !== undefined && others.length === 0) precedences.add(...only, clash.cause);
        else choices.push(choice);
      }
    }
    if (atEnd.length > 0) return { found: false, where: 'end', causes: atEnd, blamed: atEnd };
    const ordering = this.#settle(precedences, choices);
    return ordering.found ? { ...ordering, brokenBefore } : ordering;
  }

  /** The legs that lead into the positions of a clash, and those that lead out of them. */
  #around({ positions }: Clash): { readonly done: Leg[]; readonly ahead: Leg[] } {
    return {
      done: positions.flatMap((at) => this.#legs.into(at) ?? []),
      ahead: positions.flatMap((at) => this.#legs.outOf(at) ?? []),
    };
  }

  /** A clash is avoided where one route has left its position before another gets to its own. */
  #choiceOf(clash: Clash): Choice {
    const { done, ahead } = this.#around(clash);
    const pairs = ahead.flatMap((before) =>
      done.flatMap((after) => (before.route === after.route ? [] : [[before, after] as const])),
    );
    return { pairs: this.#preferred(pairs), cause: clash.cause };
  }

  /** Packages rather move on the newer release, which more versions are made for. */
  #preferred(pairs: Choice['pairs']): Choice['pairs'] {
    const side = this.#upwards ? 0 : 1;
    const isPreferred = (pair: Choice['pairs'][number]) => pair[side].route === CROSSPLANE;
    return [...pairs.filter(isPreferred), ...pairs.filter((pair) => !isPreferred(pair))];
  }

  #settle(precedences: Precedences, choices: readonly Choice[]): Ordering {
    if ((this.#tries += 1) > MAX_TRIES) return GAVE_UP;
    const deadlock = this.#deadlock(precedences);
    if (deadlock !== undefined) return deadlock;
    const open = choices.filter(
      ({ pairs }) => !pairs.some(([before, after]) => precedences.reaches(before, after)),
    );
    const [choice, ...rest] = open;
    if (choice === undefined) return this.#layered(precedences);
    let failed = failedBy([choice.cause]);
    const blamed = [choice.cause];
    for (const pair of choice.pairs) {
      const tried = precedences.copy();
      tried.add(...pair, choice.cause);
      const ordering = this.#settle(tried, rest);
      if (ordering.found || ordering.where === 'gave-up') return ordering;
      failed = ordering;
      blamed.push(...ordering.blamed);
    }
    return { ...failed, blamed: [...new Set(blamed)] };
  }

  /** Legs that wait for each other in a circle; a hand-over may, and is made as one. */
  #deadlock(precedences: Precedences): Failed | undefined {
    for (const members of components(precedences, this.#legs.all)) {
      if (members.length === 1) continue;
      const among = precedences.among(members);
      const isMixed = new Set(members.map(({ route }) => route)).size < members.length;
      const isUpgrade = members.some(({ route }) => route === CROSSPLANE);
      const strict = among.filter(({ causes }) => !this.#handOvers.explain(causes));
      const circle = shortestCircle(isMixed || isUpgrade ? among : strict);
      if (circle === undefined) continue;
      const causes = circle.flatMap((each) => each.causes.slice(0, 1));
      return failedBy(
        causes,
        circle.flatMap((each) => each.causes),
      );
    }
    return undefined;
  }

  #layered(settled: Precedences): Ordering {
    const precedences = settled.copy();
    for (const upgrade of this.#legs.of(CROSSPLANE)) this.#isolate(upgrade, precedences);
    const groups = components(precedences, this.#legs.all);
    const layers = layersOf(groups, precedences.among(), (leg) => this.#isRemoval(leg));
    const clash = cycleClash(this.#journey, layers);
    if (clash !== undefined) {
      const { done, ahead } = this.#around(clash);
      if (done.length > 0 && ahead.length > 0)
        return this.#settle(settled, [this.#choiceOf(clash)]);
      if (done.length > 0) return { ...failedBy([clash.cause]), where: 'end' };
    }
    return { found: true, layers, precedences: settled.among(), brokenBefore: [] };
  }

  /** Nothing moves together with Crossplane, and what need not move on the older release does not. */
  #isolate(upgrade: Leg, precedences: Precedences): void {
    const later = precedences.descendants(upgrade);
    for (const leg of this.#legs.all) {
      if (leg.route === CROSSPLANE) continue;
      if (this.#upwards) {
        if (!precedences.reaches(leg, upgrade)) precedences.add(upgrade, leg);
      } else if (!later.has(leg)) precedences.add(leg, upgrade);
    }
  }

  #isRemoval({ route, to }: Leg): boolean {
    return route !== CROSSPLANE && this.#journey.routes[route]!.stops[to] === undefined;
  }
}

function components(precedences: Precedences, legs: readonly Leg[]): Leg[][] {
  const graph = new Map(legs.map((leg) => [leg, [] as Leg[]]));
  for (const { before, after } of precedences.among()) graph.get(before)!.push(after);
  return strongComponents(graph);
}
