/** What a change does at worst, worst first. */
export const DIFF_SEVERITIES = ['stored', 'writers', 'readers', 'harmless'] as const;

/**
 * `stored`: objects that exist lose data, or are refused when they are next written. `writers`: they
 * stay valid, and what is applied as before may be refused or mean something else. `readers`: clients
 * may meet what they did not before, or miss it. `harmless`: none of these.
 */
export type DiffSeverity = (typeof DIFF_SEVERITIES)[number];

/** Whether something is as severe as a limit, or more. */
export function isAsSevereAs(severity: DiffSeverity, limit: DiffSeverity): boolean {
  return bySeverity(severity, limit) <= 0;
}

/** Orders by severity, worst first. */
export function bySeverity(a: DiffSeverity, b: DiffSeverity): number {
  return DIFF_SEVERITIES.indexOf(a) - DIFF_SEVERITIES.indexOf(b);
}

/** The severity, or the limit where that is milder. */
export function atMost(severity: DiffSeverity, limit: DiffSeverity): DiffSeverity {
  return bySeverity(severity, limit) < 0 ? limit : severity;
}
