const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';

/** Regular expression of an RFC 1123 subdomain, as Kubernetes checks it: labels joined by dots. */
export const DNS_SUBDOMAIN = `${LABEL}(?:\\.${LABEL})*`;

const DNS_SUBDOMAIN_PATTERN = new RegExp(`^${DNS_SUBDOMAIN}$`);

/** Whether every part between dots is a DNS label. Does not check lengths. */
export function isDnsSubdomain(text: string): boolean {
  return DNS_SUBDOMAIN_PATTERN.test(text);
}
