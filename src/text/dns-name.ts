const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';

/** Regular expression of an RFC 1123 subdomain, as Kubernetes checks it: labels joined by dots. */
export const DNS_SUBDOMAIN = `${LABEL}(?:\\.${LABEL})*`;

const WHOLE = new RegExp(`^${DNS_SUBDOMAIN}$`);

/** Whether every part between dots is a DNS label; lengths are left to the caller. */
export function isDnsSubdomain(text: string): boolean {
  return WHOLE.test(text);
}
