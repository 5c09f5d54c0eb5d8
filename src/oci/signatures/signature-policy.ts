import { RE2JS } from 're2js';
import { getOrCreate } from '../../base/collections.js';
import {
  type ImageConfig,
  imageConfigsIn,
  type KeptObject,
  rewrittenImage,
  settingFor,
} from '../../crossplane/package-manager/image-config.js';
import { InputError, type Origin } from '../../base/errors.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import { joinReference, pullName, withPlainHost } from '../../crossplane/packages/reference.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import { listOf, mappingOf, stringOf, type JsonObject, type JsonValue } from '../../base/json.js';

/** The signatures that an ImageConfig requires of the images it matches. */
export interface SignaturePolicy {
  /** Name of the ImageConfig. */
  readonly name: string;
  readonly origin: Origin;
  /** One of these authorities must have signed; empty if no signature is required. */
  readonly authorities: readonly SigningAuthority[];
}

export interface SigningAuthority {
  readonly name: string;
  /** Public key; undefined if signers use certificates. */
  readonly key: KeyReference | undefined;
  /** Accepted signers in certificates; empty for every signer. */
  readonly identities: readonly SignerPattern[];
  /** Whether the certificate may be missing from a certificate log. */
  readonly ignoreSct: boolean;
  /** Predicate types, one of which an attestation needs; empty if a signature is required. */
  readonly predicateTypes: readonly string[];
}

/** The field of a Secret with a public key. */
export interface KeyReference {
  readonly secret: string;
  readonly field: string;
  readonly hash: 'sha224' | 'sha256' | 'sha384' | 'sha512';
}

interface SignerPattern {
  /** Pattern as written in the ImageConfig; for messages. */
  readonly text: string;
  readonly issuer: (value: string) => boolean;
  /** Matches one name of the signer; undefined if no name is required. */
  readonly subject: ((value: string) => boolean) | undefined;
}

/** The policies of ImageConfigs, parsed once. */
export class SignaturePolicies {
  readonly #configs: readonly ImageConfig[];
  readonly #rewriteConfigs: readonly ImageConfig[];
  readonly #plain: {
    readonly configs: readonly ImageConfig[];
    readonly rewriting: readonly ImageConfig[];
  };
  readonly #policies = new Map<ImageConfig, SignaturePolicy>();

  /** `rewriting` has the ImageConfigs that rewrite image locations. */
  constructor(objects: readonly KeptObject[], rewriting: readonly KeptObject[] = objects) {
    this.#configs = imageConfigsIn(objects);
    this.#rewriteConfigs = imageConfigsIn(rewriting);
    this.#plain = {
      configs: this.#configs.map(withPlainHosts),
      rewriting: this.#rewriteConfigs.map(withPlainHosts),
    };
  }

  get isEmpty(): boolean {
    return this.#configs.every(({ settings }) => settings.verification === undefined);
  }

  /** Whether images are rewritten, so that a release that does not rewrite applies other policies. */
  get rewrites(): boolean {
    return this.#rewriteConfigs.some(({ rewriteTo }) => rewriteTo !== undefined);
  }

  /** The first ImageConfig with a policy. */
  get first(): Pick<SignaturePolicy, 'name' | 'origin'> | undefined {
    return this.#configs.find(({ settings }) => settings.verification !== undefined);
  }

  /**
   * Returns the policy for a package, if any. The release only decides the rewritten name and the
   * default registry.
   *
   * A cluster compares the name as written. If no policy matches it, one for another spelling
   * applies: a package could otherwise choose the spelling of its dependencies to escape it.
   */
  for({ repository, version }: Candidate, target: ReleaseRules): SignaturePolicy | undefined {
    const written = joinReference(repository, version);
    const plain = withPlainHost(joinReference(pullName(repository, target), version));
    const config =
      configFor(written, this.#configs, this.#rewriteConfigs, target) ??
      configFor(plain, this.#plain.configs, this.#plain.rewriting, target);
    if (config === undefined) return undefined;
    const policy = getOrCreate(this.#policies, config, () => parsePolicy(config));
    return policy.authorities.length === 0 ? undefined : policy;
  }
}

function configFor(
  image: string,
  configs: readonly ImageConfig[],
  rewriting: readonly ImageConfig[],
  target: ReleaseRules,
): ImageConfig | undefined {
  const rewritten = rewrittenImage(image, rewriting, target);
  return settingFor(rewritten.image, 'verification', configs);
}

function withPlainHosts(config: ImageConfig): ImageConfig {
  const { prefixes, rewriteTo } = config;
  return {
    ...config,
    prefixes: prefixes.map(withPlainHost),
    rewriteTo: rewriteTo === undefined ? undefined : withPlainHost(rewriteTo),
  };
}

function parsePolicy(config: ImageConfig): SignaturePolicy {
  const at = new PolicyReader(config);
  const verification = mappingOf(config.settings.verification) ?? {};
  if (verification['provider'] !== 'Cosign') throw at.wrong('provider', 'must be `Cosign`');
  const cosign = mappingOf(verification['cosign']);
  const authorities = listOf(cosign?.['authorities']);
  if (authorities === undefined) throw at.wrong('cosign.authorities', 'must be a list');
  const { name, origin } = config;
  return { name, origin, authorities: authorities.map((each, i) => at.authority(each, i)) };
}

/** Reads the authorities of an ImageConfig by its CRD. */
class PolicyReader {
  readonly #config: ImageConfig;

  constructor(config: ImageConfig) {
    this.#config = config;
  }

  wrong(field: string, what: string): InputError {
    const { name, origin } = this.#config;
    const message = `ImageConfig \`${name}\`: \`spec.verification.${field}\` ${what}`;
    return new InputError(message, { origin });
  }

  authority(value: JsonValue, index: number): SigningAuthority {
    const at = `cosign.authorities[${index}]`;
    const authority = this.#mapping(value, at);
    const keyless = authority['keyless'];
    const { identities = [], insecureIgnoreSCT: ignored } =
      keyless === undefined ? {} : this.#mapping(keyless, `${at}.keyless`);
    return {
      name: this.#text(authority, 'name', at),
      key: this.#key(authority['key'], `${at}.key`),
      identities: this.#list(identities, `${at}.keyless.identities`).map((each, i) =>
        this.#identity(each, `${at}.keyless.identities[${i}]`),
      ),
      ignoreSct: ignored === true,
      predicateTypes: this.#list(authority['attestations'] ?? [], `${at}.attestations`).map(
        (each, i) => {
          const path = `${at}.attestations[${i}]`;
          const type = this.#text(this.#mapping(each, path), 'predicateType', path);
          return PREDICATE_TYPES.get(type) ?? type;
        },
      ),
    };
  }

  #key(value: JsonValue | undefined, at: string): KeyReference | undefined {
    if (value === undefined) return undefined;
    const key = this.#mapping(value, at);
    const reference = this.#mapping(key['secretRef'], `${at}.secretRef`);
    const algorithm = stringOf(key['hashAlgorithm'] ?? 'sha256');
    const hash = HASHES.find((each) => each === algorithm?.trim().toLowerCase());
    if (hash === undefined) {
      throw this.wrong(`${at}.hashAlgorithm`, `must be one of ${HASHES.join(', ')}`);
    }
    return {
      secret: this.#text(reference, 'name', `${at}.secretRef`),
      field: this.#text(reference, 'key', `${at}.secretRef`),
      hash,
    };
  }

  #identity(value: JsonValue, at: string): SignerPattern {
    const identity = this.#mapping(value, at);
    const issuer = this.#matcher(identity, 'issuer', at);
    const subject = this.#matcher(identity, 'subject', at);
    const text = [subject.text, issuer.text].filter((each) => each !== undefined).join(', ');
    return { text: text || 'any', issuer: issuer.test ?? (() => true), subject: subject.test };
  }

  /** A regular expression takes precedence over text and may match any part of the value. */
  #matcher(identity: JsonObject, field: 'issuer' | 'subject', at: string) {
    const expression = stringOf(identity[`${field}RegExp`]) ?? '';
    const wanted = stringOf(identity[field]) ?? '';
    if (expression === '' && wanted === '') return { text: undefined, test: undefined };
    if (expression === '') {
      return { text: `${field} \`${wanted}\``, test: (value: string) => value === wanted };
    }
    let compiled: RE2JS;
    try {
      compiled = RE2JS.compile(expression);
    } catch {
      throw this.wrong(`${at}.${field}RegExp`, 'is not a regular expression that Go reads');
    }
    return {
      text: `${field} matching \`${expression}\``,
      test: (value: string) => compiled.matcher(value).find(),
    };
  }

  #mapping(value: JsonValue | undefined, at: string): JsonObject {
    const mapping = mappingOf(value);
    if (mapping === undefined) throw this.wrong(at, 'must be a mapping');
    return mapping;
  }

  #list(value: JsonValue, at: string): readonly JsonValue[] {
    const list = listOf(value);
    if (list === undefined) throw this.wrong(at, 'must be a list');
    return list;
  }

  #text(mapping: JsonObject, field: string, at: string): string {
    const text = stringOf(mapping[field]);
    if (text === undefined || text === '') throw this.wrong(`${at}.${field}`, 'must be a text');
    return text;
  }
}

const HASHES = ['sha224', 'sha256', 'sha384', 'sha512'] as const;

/** Short names of predicate types, as in `cosign attest --type` and the cluster. */
const PREDICATE_TYPES: ReadonlyMap<string, string> = new Map([
  ['custom', 'https://cosign.sigstore.dev/attestation/v1'],
  ['slsaprovenance', 'https://slsa.dev/provenance/v0.2'],
  ['slsaprovenance02', 'https://slsa.dev/provenance/v0.2'],
  ['slsaprovenance1', 'https://slsa.dev/provenance/v1'],
  ['spdx', 'https://spdx.dev/Document'],
  ['spdxjson', 'https://spdx.dev/Document'],
  ['cyclonedx', 'https://cyclonedx.org/bom'],
  ['link', 'https://in-toto.io/Link/v1'],
  ['vuln', 'https://cosign.sigstore.dev/attestation/vuln/v1'],
  ['openvex', 'https://openvex.dev/ns'],
]);
