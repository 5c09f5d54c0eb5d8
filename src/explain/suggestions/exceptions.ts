import { proofFacts } from '../proof-facts.js';
import { versionIn, type Proposal, type Stuck } from './proposal.js';

/** Prereleases are admitted of a package that a requirement finds nothing else of. */
export function* admittedPrereleases({ problem, targets, proof }: Stuck): Generator<Proposal> {
  for (const fact of proofFacts(proof)) {
    if (fact.fact !== 'requires' && fact.fact !== 'root') continue;
    const subject = proof.encoder.subject(fact.on.variable);
    if (subject.about !== 'package' || !fact.on.values.isEmpty) continue;
    const { repository } = subject;
    if (problem.prereleases.has(repository)) continue;
    const at = fact.fact === 'root' ? fact.root.origin : undefined;
    yield {
      end: `prereleases of ${repository}`,
      targets,
      problem: { ...problem, prereleases: new Set([...problem.prereleases, repository]) },
      put: (solution) => ({
        text: `admit prereleases of ${repository}: \`${versionIn(solution, repository) ?? 'none'}\` would be taken`,
        edits: [{ edit: 'prerelease', at, repository }],
      }),
    };
  }
}

/** Packages that require each other are accepted. */
export function* allowedCycles({ problem, targets, proof }: Stuck): Generator<Proposal> {
  if (!proofFacts(proof).some(({ fact }) => fact === 'cycle')) return;
  yield {
    end: 'a cycle',
    targets,
    problem: { ...problem, allowCycles: true },
    put: () => ({
      text: 'allow the cycle (`--allow-cycles`); the cluster must then skip dependency resolution',
      edits: [{ edit: 'allow-cycles' }],
    }),
  };
}
