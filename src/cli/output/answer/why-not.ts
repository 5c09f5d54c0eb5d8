import type { GivenInputs } from '../../../inputs/edit/input-edit.js';
import type { Candidate } from '../../../model/package.js';
import type { WhyNot } from '../../../usecases/why-not/why-not-chosen.js';
import { jsonDocument } from '../json-document.js';
import { changeLines } from '../packages.js';
import { answerBody, changesJson } from './answer-json.js';
import { explainedRefusalText, refusalText } from './refusal.js';

/** Why the answer does not have a version, as `resolve` would tell it; `explain`: in full. */
export function whyNotLines(
  found: WhyNot,
  { repository, version }: Candidate,
  explain: boolean,
): string[] {
  switch (found.status) {
    case 'refused': {
      const told = explain ? explainedRefusalText(found.refusal) : refusalText(found.refusal);
      return told.map((line) => line.replace(/^error: /, ''));
    }
    case 'overridden':
      return [found.text];
    case 'gave-up':
      return ['it could not be found out in time: raise --timeout'];
    case 'possible': {
      const { changes } = found.answer;
      return [
        `possible: there is a set with ${repository} ${version}`,
        ...(changes.length === 0 ? ['  it is the one that is locked'] : []),
        ...changeLines(changes).map((line) => `  ${line}`),
        ...(changes.length === 0 ? [] : [`hint: \`xpkg-resolve update ${repository}@${version}\``]),
      ];
    }
  }
}

/** `inputs` are what its suggestions are patches of. */
export function whyNotJson(
  found: WhyNot,
  { repository, version }: Candidate,
  inputs: GivenInputs,
): string {
  const about = { source: repository, version };
  switch (found.status) {
    case 'refused':
      return jsonDocument({ ...about, why: answerBody(found.refusal, inputs) });
    case 'overridden': {
      const core = [{ kind: 'requirement', text: found.text, path: [found.place] }];
      const summary = { headline: found.text, lines: [] };
      const told = { summary, explanation: found.text, core, suggestions: [] };
      return jsonDocument({ ...about, why: { status: 'unsolvable', ...told } });
    }
    case 'gave-up':
      return jsonDocument({ ...about, status: 'gave-up' });
    case 'possible': {
      const { target, changes, notes } = found.answer;
      const told = { crossplane: target.version, changes: changesJson(changes), notes };
      return jsonDocument({ ...about, status: 'possible', ...told });
    }
  }
}
