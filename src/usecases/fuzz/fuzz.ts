import { InputError } from '../../model/input-error.js';
import { replacedRepository, type Request } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import type { Shard } from '../../model/parts/shard.js';
import { solve } from '../../solver/solve.js';
import { Driver } from '../../driver/driver.js';
import { SourceMemory } from '../../driver/source-memory.js';
import type { Refusal } from '../../explain/refusal.js';
import type { CandidateRule } from '../../model/policy/ruling.js';
import { candidateRules } from '../resolve/policy/policy-rules.js';
import { resolve, type ResolveOptions } from '../resolve/resolve.js';
import { drawVariations } from './draw-variations.js';
import { releaseSelector, chooseTargets } from '../../model/target/target-choice.js';
import { toProblem } from '../resolve/to-problem.js';
import {
  variedRequest,
  smallest,
  variationKey,
  choiceName,
  type Variation,
  type RootChoice,
} from './variation.js';
import { variedRoots, type VariedRoot } from './varied-root.js';

export interface FuzzOptions extends ResolveOptions {
  /** Equal seeds try equal variations, in the same order. */
  readonly seed: number;
  /** Variations to try, beside the request as it is on every release. */
  readonly runs: number;
  /** Which part of the variations to try; undefined: all. */
  readonly shard?: Shard | undefined;
  /** Told after every run. */
  readonly onRun?: ((runs: number, breakages: number) => void) | undefined;
}

/** Roots that do not go together, or one that does not go at all. */
export interface Breakage {
  /** A smallest one: without any of its roots, or with one as the user has it, it would hold. */
  readonly example: Variation;
  /** Every release of the range on which the example breaks, newest first. */
  readonly brokenOn: readonly string[];
  readonly refusal: Refusal;
  /** The place of the trial that the example was found by, among all of all parts. */
  readonly foundAt: number;
  /** Other versions at which these roots break, each with a release on which they were found to. */
  readonly others: readonly {
    readonly choices: readonly RootChoice[];
    readonly release: string;
    readonly foundAt: number;
  }[];
}

export interface FuzzReport {
  readonly seed: number;
  /** Variations tried; the request as it is was tried on every release before them. */
  readonly runs: number;
  /** Trials that were given up, so that nothing is known of them. */
  readonly gaveUp: number;
  /** The releases of the range, newest first. */
  readonly releases: readonly string[];
  readonly varied: readonly { readonly repository: string; readonly versions: number }[];
  readonly breakages: readonly Breakage[];
  readonly notes: readonly string[];
}

/**
 * Looks for variations of a request that cannot be satisfied: each root at other published
 * versions, alone, in pairs and all together, on the releases of Crossplane in the range.
 */
export async function fuzz(request: Request, given: FuzzOptions): Promise<FuzzReport> {
  const options = { ...given, source: SourceMemory.of(given.source) };
  const asked = releaseSelector(request, options.crossplane);
  const { groups, notes, warnings } = chooseTargets(asked, options.crossplaneVersions);
  const targets = groups.flat();
  const varied = await variedRoots(request, {
    source: options.source,
    targets,
    prereleases: new Set([...(request.prereleases ?? []), ...(options.prereleases ?? [])]),
    compat: options.compat ?? false,
  });
  const fuzzing = new Fuzzing(request, options, staying(varied));
  fuzzing.refuseNonsense(targets);
  await fuzzing.run(targets.map((release) => ({ release, choices: asAsked(request) })));
  // Every part draws the same: what one finds of its own must not lead it elsewhere than the others.
  const isKnown = fuzzing.knownSoFar();
  await fuzzing.vary(drawVariations(asAsked(request), { targets, varied, options, isKnown }));
  return {
    seed: options.seed,
    runs: fuzzing.runs,
    gaveUp: fuzzing.gaveUp,
    releases: targets.map(({ version }) => version),
    varied: varied.map(({ root, tagsFor }) => ({
      repository: root.repository,
      versions: tagsFor(targets[0]!).length,
    })),
    breakages: await fuzzing.breakages(targets),
    notes: [...warnings, ...notes],
  };
}

function asAsked({ roots }: Request): RootChoice[] {
  return roots.map((root): RootChoice => ({ root }));
}

/** Packages that are only tried at versions which the user asks for. */
function staying(varied: readonly VariedRoot[]): ReadonlySet<string> {
  const within = varied.filter((one) => one.staysWithin && one.isAsked);
  return new Set(within.map(({ root }) => root.repository));
}

/** A smallest example. */
interface Example {
  readonly variation: Variation;
  readonly foundAt: number;
  /** Releases that it was found on. */
  readonly releases: Set<string>;
}

/** Tries variations and collects what breaks. */
class Fuzzing {
  runs = 0;
  gaveUp = 0;
  readonly #request: Request;
  readonly #options: FuzzOptions;
  readonly #rules: readonly CandidateRule[];
  readonly #staying: ReadonlySet<string>;
  /** Smallest examples, by `variationKey`, with the releases they were found on. */
  readonly #examples = new Map<string, Example>();
  /** Trials begun or left to other parts. */
  #place = 0;

  constructor(request: Request, options: FuzzOptions, staying: ReadonlySet<string>) {
    this.#request = request;
    this.#options = options;
    this.#rules = candidateRules(request, options);
    this.#staying = staying;
  }

  /** Tries variations until they end or `goOn` says so; `done` is called after each. */
  async run(
    variations: Iterable<Variation>,
    done: () => void = () => {},
    isOwn: () => boolean = () => true,
  ): Promise<void> {
    const { goOn = () => true, onRun = () => {} } = this.#options;
    for (const variation of variations) {
      if (!goOn()) return;
      const place = this.#place++;
      if (!isOwn()) continue;
      await this.#attempt(variation, place);
      done();
      onRun(this.runs, this.#examples.size);
    }
  }

  /** Tries variations that were drawn, which count as runs. */
  async vary(variations: Iterable<Variation>): Promise<void> {
    const { index, of } = this.#options.shard ?? { index: 1, of: 1 };
    // Of the request as it is, every part knows; the first one counts what was given up of it.
    if (index !== 1) this.gaveUp = 0;
    let place = 0;
    await this.run(
      variations,
      () => this.runs++,
      () => place++ % of === index - 1,
    );
  }

  /** What makes sense to no release is a mistake in the request, and not what is looked for. */
  refuseNonsense(targets: readonly Target[]): void {
    for (const [place, target] of targets.entries()) {
      try {
        toProblem(this.#request, [target], this.#options);
        return;
      } catch (error) {
        if (!(error instanceof InputError) || place === targets.length - 1) throw error;
      }
    }
  }

  async #attempt(variation: Variation, foundAt: number): Promise<void> {
    // One driver for each run: what was read is kept by the memory, what was judged of it can go.
    const driver = this.#driver();
    const verdict = await this.#verdict(variation, driver);
    if (verdict === 'gave-up') this.gaveUp++;
    if (verdict !== 'breaks') return;
    const found = await smallest(
      variation,
      async (smaller) => (await this.#verdict(smaller, driver)) === 'breaks',
    );
    if (await this.#isRuledOut(found, driver)) return;
    const key = variationKey(found);
    const known = this.#examples.get(key) ?? { variation: found, foundAt, releases: new Set() };
    known.releases.add(found.release.version);
    this.#examples.set(key, known);
  }

  /** Whether it was drawn with a version that a rule of the user's keeps from being chosen at all. */
  async #isRuledOut({ release, choices }: Variation, driver: Driver): Promise<boolean> {
    for (const { root, tag } of choices) {
      if (tag === undefined) continue;
      const repository = replacedRepository(this.#request, root.repository);
      const ruling = await driver.rulingIfAsked({ repository, version: tag }, release);
      if (ruling !== undefined) return true;
    }
    return false;
  }

  async #verdict(variation: Variation, driver: Driver): Promise<'holds' | 'breaks' | 'gave-up'> {
    const { release } = variation;
    try {
      const problem = toProblem(variedRequest(this.#request, variation), [release], this.#options);
      const { status } = await driver.drive(solve(problem), release);
      return status === 'solved' ? 'holds' : status === 'unsolvable' ? 'breaks' : 'gave-up';
    } catch (error) {
      // Asked for in a way that makes no sense to this release.
      if (error instanceof InputError) return 'breaks';
      throw error;
    }
  }

  /** Whether a variation breaks because of what was found until now. */
  knownSoFar(): (variation: Variation) => boolean {
    const examples = [...this.#examples.values()].map((example) => ({
      ...example,
      releases: new Set(example.releases),
    }));
    return (variation) => this.#isAmong(examples, variation);
  }

  #isAmong(examples: readonly Example[], variation: Variation): boolean {
    const at = new Map(
      variation.choices.map((choice) => [choiceName(choice), choice.tag ?? 'as asked']),
    );
    return examples.some(
      (example) =>
        example.releases.has(variation.release.version) &&
        example.variation.choices.every((choice) => {
          const name = choiceName(choice);
          const here = at.get(name);
          if (here === undefined) return false;
          return (
            here === (choice.tag ?? 'as asked') ||
            (choice.tag === undefined && this.#staying.has(name))
          );
        }),
    );
  }

  /** One for each set of roots, in the order found; the plainest example stands for the rest. */
  async breakages(targets: readonly Target[]): Promise<Breakage[]> {
    const alike = new Map<string, Example[]>();
    for (const example of this.#examples.values()) {
      const roots = example.variation.choices.map(choiceName).sort().join('\n');
      alike.set(roots, [...(alike.get(roots) ?? []), example]);
    }
    const found: Breakage[] = [];
    for (const examples of alike.values()) {
      const [first, ...others] = examples.sort(
        (a, b) => versionsNamed(a.variation) - versionsNamed(b.variation),
      );
      const { variation: example, foundAt } = first!;
      found.push({
        example,
        foundAt,
        brokenOn: await this.#brokenOn(example, targets),
        refusal: await this.#refusal(example),
        others: others.map(({ variation: { choices, release }, ...other }) => ({
          choices,
          release: release.version,
          foundAt: other.foundAt,
        })),
      });
    }
    return found;
  }

  async #brokenOn(example: Variation, targets: readonly Target[]): Promise<string[]> {
    const broken: string[] = [];
    const driver = this.#driver();
    for (const release of targets) {
      const breaks =
        release.version === example.release.version ||
        (await this.#verdict({ ...example, release }, driver)) === 'breaks';
      if (breaks) broken.push(release.version);
    }
    return broken;
  }

  async #refusal(example: Variation): Promise<Refusal> {
    const { goOn: _, ...options } = this.#options;
    const request = variedRequest(this.#request, example);
    try {
      const answer = await resolve(request, { ...options, crossplane: example.release.version });
      if (answer.status === 'unsolvable') return answer;
      throw new Error(`${answer.status} what was found to break: ${variationKey(example)}`);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const { message, hint } = error;
      const suggestions = hint === undefined ? [] : [{ text: hint, edits: [] }];
      return {
        summary: { headline: message, lines: [], fullLines: [] },
        explanation: message,
        core: [{ kind: 'source', text: message, path: [] }],
        facts: [],
        graph: { nodes: [], edges: [], clashes: [] },
        suggestions,
      };
    }
  }

  #driver(): Driver {
    return new Driver(this.#options.source, { ...this.#options, rules: this.#rules });
  }
}

function versionsNamed({ choices }: Variation): number {
  return choices.filter(({ tag }) => tag !== undefined).length;
}
