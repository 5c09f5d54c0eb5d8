import type { JsonObject } from '../../text/json.js';
import type { Policy, PolicyEntry } from './policy.js';

/** `spec.policy` as a PackageSet writes it. */
export function policyDocument({ registries, deny, minimumAge }: Policy): JsonObject {
  return {
    ...(registries !== undefined && { registries: registries.allowed }),
    ...(deny.length > 0 && { deny: deny.map(deniedDocument) }),
    ...(minimumAge !== undefined && {
      minimumAge: minimumAge.text,
      ...(minimumAge.except.length > 0 && {
        minimumAgeExcept: minimumAge.except.map(exceptionText),
      }),
      unknownAge: minimumAge.unknown,
    }),
  };
}

function deniedDocument({ packages, version, reason }: PolicyEntry): JsonObject {
  return {
    package: packages,
    ...(version !== undefined && { version }),
    ...(reason !== undefined && { reason }),
  };
}

function exceptionText({ packages, version }: PolicyEntry): string {
  return version === undefined ? packages : `${packages}@${version}`;
}
