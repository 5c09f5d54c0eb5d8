import { getOrCreate, type Shard } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { chooseTargets, releaseSelector } from '../../crossplane/releases/target-choice.js';
import type { Target } from '../../crossplane/releases/target.js';
import { replacedRepository, type Request } from '../../project/inputs/request.js';
import { Driver } from '../../resolver/driver/driver.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';
import type { Refusal } from '../../resolver/explain/refusal.js';
import { candidateRules } from '../../resolver/resolve/policy-rules.js';
import { resolve } from '../../resolver/resolve/resolve.js';
import { type ResolveOptions, toProblem } from '../../resolver/resolve/to-problem.js';
import type { CandidateRule } from '../../resolver/solver/problem.js';
import { solve } from '../../resolver/solver/solve.js';
import {
  rootName,
  drawVariations,
  type RootChoice,
  minimizeVariation,
  type Variation,
  variationKey,
  variedRequest,
  type VariedRoot,
  variedRoots,
} from './variations.js';

export interface FuzzOptions extends ResolveOptions {
  /** The same seed draws the same variations in the same order. */
  readonly seed: number;
  /** Number of variations to try after the unchanged request was tried on every release. */
  readonly runs: number;
  /** The shard of the variations to try; undefined: all. */
  readonly shard?: Shard | undefined;
  /** Called after every run. */
  readonly onRun?: ((runs: number, breakages: number) => void) | undefined;
}

/** A set of roots that has no solution at some of their published versions. */
export interface Breakage {
  /** A minimal variation: it is solvable without any one root, and with any one original root. */
  readonly example: Variation;
  /** The releases of the range on which the example is unsolvable, newest first. */
  readonly brokenOn: readonly string[];
  readonly refusal: Refusal;
  /** Index of the trial that found the example, counted over all shards. */
  readonly foundAt: number;
  /** Other versions of these roots that are unsolvable, each with one release. */
  readonly others: readonly {
    readonly choices: readonly RootChoice[];
    readonly release: string;
    readonly foundAt: number;
  }[];
}

export interface FuzzReport {
  readonly seed: number;
  /** Number of variations that were tried. */
  readonly runs: number;
  /** Number of trials that ended without a result. */
  readonly gaveUp: number;
  /** The releases of the range, newest first. */
  readonly releases: readonly string[];
  readonly varied: readonly { readonly repository: string; readonly versions: number }[];
  readonly breakages: readonly Breakage[];
  readonly notes: readonly string[];
}

/**
 * Searches for unsolvable variations of a request. A variation sets roots to other published
 * versions, alone, in pairs or all together, on one Crossplane release of the range.
 */
export async function fuzz(
  request: Request,
  { source, ...others }: FuzzOptions,
): Promise<FuzzReport> {
  const options = { ...others, source: SourceReader.of(source) };
  const selector = releaseSelector(request, options.crossplane);
  const { groups, notes, warnings } = chooseTargets(selector, options.crossplaneVersions);
  const targets = groups.flat();
  const unchanged = request.roots.map((root): RootChoice => ({ root }));
  const varied = await variedRoots(request, {
    source: options.source,
    targets,
    prereleases: new Set([...(request.prereleases ?? []), ...(options.prereleases ?? [])]),
    compat: options.compat ?? false,
  });
  const fuzzing = new Fuzzing(request, options, varied);
  fuzzing.validateRequest(targets);
  await fuzzing.run(targets.map((release) => ({ release, choices: unchanged })));
  // All shards must draw the same variations, so drawing ignores what this shard finds later.
  const isKnown = fuzzing.knownSoFar();
  await fuzzing.vary(drawVariations(unchanged, { targets, varied, options, isKnown }));
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

/** A minimal unsolvable variation. */
interface Example {
  readonly variation: Variation;
  readonly foundAt: number;
  /** Releases on which a trial found it. */
  readonly releases: Set<string>;
}

/** Tries variations and collects the unsolvable ones. */
class Fuzzing {
  runs = 0;
  gaveUp = 0;
  readonly #request: Request;
  readonly #options: FuzzOptions;
  readonly #rules: readonly CandidateRule[];
  /** Names of roots that are only tried at versions which the original root allows. */
  readonly #withinRange: ReadonlySet<string>;
  /** Examples by `variationKey`. */
  readonly #examples = new Map<string, Example>();
  /** Index of the next trial, counted over all shards. */
  #nextTrial = 0;

  constructor(request: Request, options: FuzzOptions, varied: readonly VariedRoot[]) {
    this.#request = request;
    this.#options = options;
    this.#rules = candidateRules(request, options);
    const withinRange = varied.filter((each) => each.isWithinRange && each.isRoot);
    this.#withinRange = new Set(withinRange.map(({ root }) => root.repository));
  }

  /** Tries variations until `goOn` returns false: those of a shard, which count as runs, or all. */
  async run(variations: Iterable<Variation>, shard?: Shard): Promise<void> {
    const { goOn = () => true, onRun = () => {} } = this.#options;
    let place = 0;
    for (const variation of variations) {
      if (!goOn()) return;
      const trial = this.#nextTrial++;
      if (shard !== undefined && place++ % shard.of !== shard.index - 1) continue;
      await this.#attempt(variation, trial);
      if (shard !== undefined) this.runs++;
      onRun(this.runs, this.#examples.size);
    }
  }

  /** Tries the drawn variations of this shard. */
  async vary(variations: Iterable<Variation>): Promise<void> {
    const { shard = { index: 1, of: 1 } } = this.#options;
    // Every shard tries the unchanged request; only the first one reports its timeouts.
    if (shard.index !== 1) this.gaveUp = 0;
    await this.run(variations, shard);
  }

  /** Throws if the request is invalid for every release. */
  validateRequest(targets: readonly Target[]): void {
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
    // A driver for each run frees its memory; the source keeps what was read.
    const driver = this.#driver();
    const verdict = await this.#verdict(variation, driver);
    if (verdict === 'gave-up') this.gaveUp++;
    if (verdict !== 'breaks') return;
    const found = await minimizeVariation(
      variation,
      async (smaller) => (await this.#verdict(smaller, driver)) === 'breaks',
    );
    if (await this.#violatesPolicy(found, driver)) return;
    const { releases } = getOrCreate(this.#examples, variationKey(found), () => {
      return { variation: found, foundAt, releases: new Set() };
    });
    releases.add(found.release.version);
  }

  /** Whether a policy excludes a drawn version, so that it was never a candidate. */
  async #violatesPolicy({ release, choices }: Variation, driver: Driver): Promise<boolean> {
    for (const { root, tag } of choices) {
      if (tag === undefined) continue;
      const repository = replacedRepository(this.#request, root.repository);
      const violation = await driver.rulingIfInspected({ repository, version: tag }, release);
      if (violation !== undefined) return true;
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
      // The request is invalid for this release.
      if (error instanceof InputError) return 'breaks';
      throw error;
    }
  }

  /** Returns a predicate: whether a variation contains one of the examples found so far. */
  knownSoFar(): (variation: Variation) => boolean {
    const examples = [...this.#examples.values()].map((example) => ({
      ...example,
      releases: new Set(example.releases),
    }));
    return (variation) => examples.some((example) => this.#contains(variation, example));
  }

  #contains({ release, choices }: Variation, example: Example): boolean {
    if (!example.releases.has(release.version)) return false;
    const byName = new Map(choices.map((choice) => [rootName(choice), choice]));
    return example.variation.choices.every((choice) => {
      const name = rootName(choice);
      const varied = byName.get(name);
      if (varied === undefined) return false;
      return varied.tag === choice.tag || (choice.tag === undefined && this.#withinRange.has(name));
    });
  }

  /** Returns one breakage for each set of roots, with the example that changes the fewest versions. */
  async breakages(targets: readonly Target[]): Promise<Breakage[]> {
    const byRoots = new Map<string, Example[]>();
    for (const example of this.#examples.values()) {
      const roots = example.variation.choices.map(rootName).sort().join('\n');
      getOrCreate(byRoots, roots, () => []).push(example);
    }
    const found: Breakage[] = [];
    for (const examples of byRoots.values()) {
      const [first, ...others] = examples.sort(
        (a, b) => changedVersions(a.variation) - changedVersions(b.variation),
      );
      const { variation: example, foundAt } = first!;
      found.push({
        example,
        foundAt,
        brokenOn: await this.#brokenOn(example, targets),
        refusal: await this.#refusal(example),
        others: others.map(({ variation: { choices, release }, ...other }) => {
          return { choices, release: release.version, foundAt: other.foundAt };
        }),
      });
    }
    return found;
  }

  async #brokenOn(example: Variation, targets: readonly Target[]): Promise<string[]> {
    const broken: string[] = [];
    const driver = this.#driver();
    for (const release of targets) {
      const { version } = release;
      const isFound = version === example.release.version;
      const variation = { ...example, release };
      if (isFound || (await this.#verdict(variation, driver)) === 'breaks') broken.push(version);
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

function changedVersions({ choices }: Variation): number {
  return choices.filter(({ tag }) => tag !== undefined).length;
}
