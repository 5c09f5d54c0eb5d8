import { crdDemandText } from '../../model/crd-demand.js';
import { formatOrigin } from '../../model/input-error.js';
import type { RootApi, RootPackage } from '../../solver/problem.js';
import { proofFacts } from '../proof-facts.js';
import type { Proposal, Stuck } from './proposal.js';

/** One root goes, where others stay. */
export function* leftOut({ problem, targets, proof }: Stuck): Generator<Proposal> {
  const asking = problem.roots.filter(
    ({ requires }) => requires === 'package' || requires === 'api',
  );
  if (asking.length < 2) return;
  for (const fact of proofFacts(proof)) {
    if (fact.fact !== 'root' && fact.fact !== 'root-api') continue;
    const root: RootPackage | RootApi = fact.root;
    const name = root.requires === 'api' ? `\`${crdDemandText(root.crd)}\`` : root.repository;
    yield {
      end: `without root ${problem.roots.indexOf(root)}`,
      targets,
      problem: { ...problem, roots: problem.roots.filter((each) => each !== root) },
      put: () => ({
        text: `leave out ${name} (${formatOrigin(root.origin)})`,
        edits: [{ edit: 'remove', at: root.origin }],
      }),
    };
  }
}
