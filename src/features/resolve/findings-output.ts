import { type Origin, formatOrigin } from '../../base/errors.js';
import type { Request } from '../../project/inputs/request.js';
import type { Report, ReportFinding } from '../../cli/findings/report.js';
import { codeSpan } from '../../base/escape.js';
import type { Answer, GaveUp, Unsolvable } from '../../resolver/resolve/answer.js';
import { amount, changeLines, shortVersion } from '../../cli/terminal/package-text.js';
import { details, singleStep } from '../../cli/findings/report-parts.js';

/** Returns the findings of an answer, placed in the input files. */
export function answerFindings(answer: Answer, request: Request): ReportFinding[] {
  const warnings = answer.warnings.map((text): ReportFinding => ({
    rule: 'warning',
    severity: 'warning',
    fails: false,
    text,
  }));
  if (answer.status === 'unsolvable') return [...refusalFindings(answer, request), ...warnings];
  return answer.status === 'gave-up' ? [gaveUpFinding(answer), ...warnings] : warnings;
}

/** Returns the refusal as findings: in full at its first root, and one line at each other root. */
function refusalFindings(refusal: Unsolvable, request: Request): ReportFinding[] {
  const { summary, suggestions, core } = refusal;
  const origins = originsIn(request);
  const texts = new Map<string, string>();
  for (const { path, text } of core) {
    const [start] = path;
    if (start !== undefined && origins.has(start) && !texts.has(start)) texts.set(start, text);
  }
  const [first, ...more] = texts.keys();
  // References on the command line have no line. The refusal itself names them.
  const others = more.filter((place) => origins.get(place)?.line !== undefined);
  const finding = { rule: 'unsolvable', severity: 'error', fails: true } as const;
  return [
    {
      ...finding,
      origin: first === undefined ? undefined : origins.get(first),
      text: [summary.headline, ...summary.lines].join('\n'),
      fix: suggestions[0]?.text,
    },
    ...others.map((place) => ({
      ...finding,
      origin: origins.get(place),
      text: `part of why there is no answer: ${texts.get(place)!}`,
    })),
  ];
}

/** Places in the inputs, by their text in a refusal. */
function originsIn(request: Request): Map<string, Origin> {
  const { roots, crossplane, overrides, exclude, policies = [] } = request;
  const rules = policies.flatMap(({ registries, deny, minimumAge }) => [
    registries,
    ...deny,
    minimumAge,
  ]);
  const inside = roots.flatMap((root) => (root.root === 'local' ? root.dependsOn : []));
  const all = [...roots, ...overrides, ...exclude, crossplane, ...rules, ...inside];
  const given = all.filter((one) => one !== undefined);
  return new Map(given.map(({ origin }) => [formatOrigin(origin), origin]));
}

function gaveUpFinding({ reason, stats: { conflicts, fetched } }: GaveUp): ReportFinding {
  const why = reason ?? `after ${conflicts} conflicts and ${fetched} packages read`;
  const text = `gave up${reason === undefined ? '' : ':'} ${why}`;
  return { rule: 'gave-up', severity: 'error', fails: true, text };
}

/** `isWritten`: false with `--no-write`. */
export function answerReport(
  command: string,
  answer: Answer,
  request: Request,
  isWritten: boolean,
): Report {
  const findings = answerFindings(answer, request);
  if (answer.status !== 'solved') {
    return singleStep({ command, headline: findings[0]!.text.split('\n')[0]!, findings });
  }
  const { lockfile, target, changes, notes } = answer;
  const headline = `${amount(lockfile.packages.length, 'package')} for Crossplane ${target.version}`;
  const packages = lockfile.packages.map(
    ({ repository, version }) => `${codeSpan(repository)} ${codeSpan(shortVersion(version))}`,
  );
  return singleStep({
    command,
    headline,
    findings,
    details: [
      ...details(amount(changes.length, 'change'), changeLines(changes, isWritten).map(asCode)),
      ...details(headline, packages),
      ...details(amount(notes.length, 'note'), notes.map(asCode)),
    ].join('\n\n'),
    outputs: { crossplane: target.version, packages: String(lockfile.packages.length) },
  });
}

const asCode = (text: string) => codeSpan(text);
