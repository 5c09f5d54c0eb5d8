import { isAsSevereAs, type DiffSeverity } from '../../../compare/severity.js';
import type { Report, ReportSeverity } from '../../../report/report.js';
import type { Diff } from '../../../usecases/diff/diff.js';
import { diffMarkdown } from '../diff/diff-markdown.js';
import {
  foldedFindings,
  isWorthTelling,
  severityCounts,
  whereFolded,
} from '../diff/folded-findings.js';
import type { LockPlaces } from './lock-places.js';
import { singleStep } from './single-step.js';

const SEVERITIES: Readonly<Record<DiffSeverity, ReportSeverity>> = {
  stored: 'error',
  writers: 'warning',
  readers: 'info',
  harmless: 'info',
};

interface DiffContext {
  readonly shown: { readonly old: string; readonly new: string };
  /** Of the lockfile that it is compared with. */
  readonly places: LockPlaces;
  /** From which severity on the run fails; undefined: it does not. */
  readonly limit: DiffSeverity | undefined;
}

/** What a change breaks, where the new lockfile speaks of the package; what is harmless is left out. */
export function diffReport(diff: Diff, { shown, places, limit }: DiffContext): Report {
  const told = diff.findings.filter(
    (finding) => finding.severity !== 'harmless' || isWorthTelling(finding),
  );
  const findings = foldedFindings(told).map((folded) => {
    const { severity, path, text, rule, before, after } = folded.first;
    return {
      rule,
      severity: SEVERITIES[severity],
      fails: limit !== undefined && isAsSevereAs(severity, limit),
      origin: places.of((after ?? before)?.repository),
      text: `${whereFolded(folded)}: ${path === '' ? '' : `\`${path}\` `}${text}`,
    };
  });
  const { added, removed, moved } = diff.packages;
  return singleStep({
    command: 'diff',
    headline: severityCounts(diff),
    findings,
    details: diffMarkdown(diff, shown).trimEnd(),
    isDetailed: true,
    outputs: {
      added: String(added.length),
      removed: String(removed.length),
      moved: String(moved.length),
    },
  });
}
