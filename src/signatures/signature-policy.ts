import { RE2JS } from 're2js';
import {
  imageConfigsIn,
  rewrittenImage,
  settingFor,
  type ImageConfig,
} from '../model/cluster/image-config.js';
import { InputError } from '../model/input-error.js';
import type { Candidate, Origin } from '../model/package.js';
import { joinReference } from '../model/reference.js';
import type { KeptObject } from '../model/request.js';
import type { Target } from '../model/target/target.js';
import { listOf, mappingOf, stringOf, type JsonObject, type JsonValue } from '../text/json.js';

/** What an ImageConfig asks of the signatures of the images that it is for. */
export interface SignaturePolicy {
  /** Name of the ImageConfig. */
  readonly name: string;
  readonly origin: Origin;
  /** Any one of them suffices; none: nothing is asked. */
  readonly authorities: readonly SigningAuthority[];
}

export interface SigningAuthority {
  readonly name: string;
  /** undefined: signers have a certificate in place of a known key. */
  readonly key: KeyReference | undefined;
  /** Signers whose certificates will do; empty: every signer. */
  readonly identities: readonly SignerPattern[];
  /** The certificate need not be in a certificate log. */
  readonly ignoreSct: boolean;
  /** Types of predicates: an attestation of one of them is asked for; empty: a signature is. */
  readonly predicateTypes: readonly string[];
}

/** The field of a Secret that holds a public key. */
export interface KeyReference {
  readonly secret: string;
  readonly field: string;
  readonly hash: 'sha224' | 'sha256' | 'sha384' | 'sha512';
}

export interface SignerPattern {
  /** As the ImageConfig has it; for messages. */
  readonly text: string;
  readonly issuer: (value: string) => boolean;
  /** Of one name of the signer; undefined: a signer need not have a name. */
  readonly subject: ((value: string) => boolean) | undefined;
}

/** The policies of some ImageConfigs, each read once. */
export class SignaturePolicies {
  readonly #configs: readonly ImageConfig[];
  readonly #rewriting: readonly ImageConfig[];
  readonly #read = new Map<ImageConfig, SignaturePolicy>();

  /** `rewriting` has the ImageConfigs that say where images are pulled from. */
  constructor(kept: readonly KeptObject[], rewriting: readonly KeptObject[] = kept) {
    this.#configs = imageConfigsIn(kept);
    this.#rewriting = imageConfigsIn(rewriting);
  }

  /** Whether any policy is among them. */
  get isEmpty(): boolean {
    return this.#configs.every(({ settings }) => settings.verification === undefined);
  }

  /** What the target asks for before it installs a package; undefined: it takes it unsigned. */
  for({ repository, version }: Candidate, target: Target): SignaturePolicy | undefined {
    if (target.rules.imageConfig?.verification !== true) return undefined;
    const { image } = rewrittenImage(joinReference(repository, version), this.#rewriting, target);
    const config = settingFor(image, 'verification', this.#configs);
    if (config === undefined) return undefined;
    const policy = this.#read.get(config) ?? policyOf(config);
    this.#read.set(config, policy);
    return policy.authorities.length === 0 ? undefined : policy;
  }
}

function policyOf(config: ImageConfig): SignaturePolicy {
  const at = new PolicyReader(config);
  const verification = mappingOf(config.settings.verification) ?? {};
  if (verification['provider'] !== 'Cosign') throw at.wrong('provider', 'must be `Cosign`');
  const cosign = mappingOf(verification['cosign']);
  const authorities = listOf(cosign?.['authorities']);
  if (authorities === undefined) throw at.wrong('cosign.authorities', 'must be a list');
  const { name, origin } = config;
  return { name, origin, authorities: authorities.map((each, i) => at.authority(each, i)) };
}

/** Reads the authorities of one ImageConfig, as its CRD describes them. */
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
    const named = stringOf(key['hashAlgorithm'] ?? 'sha256');
    const hash = HASHES.find((each) => each === named?.trim().toLowerCase());
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
    const [issuer, subject] = [
      this.#matcher(identity, 'issuer', at),
      this.#matcher(identity, 'subject', at),
    ];
    const text = [subject.text, issuer.text].filter((each) => each !== undefined).join(', ');
    return {
      text: text || 'any',
      issuer: issuer.test ?? (() => true),
      subject: subject.test,
    };
  }

  /** An expression beats a text, and may match any part of the value, as in the cluster. */
  #matcher(identity: JsonObject, field: 'issuer' | 'subject', at: string) {
    const expression = stringOf(identity[`${field}RegExp`]) ?? '';
    const wanted = stringOf(identity[field]) ?? '';
    if (expression === '' && wanted === '') return { text: undefined, test: undefined };
    if (expression === '') {
      const test = (value: string) => value === wanted;
      return { text: `${field} \`${wanted}\``, test };
    }
    const compiled = this.#compiled(expression, `${at}.${field}RegExp`);
    return {
      text: `${field} matching \`${expression}\``,
      test: (value: string) => compiled.matcher(value).find(),
    };
  }

  #compiled(expression: string, at: string): RE2JS {
    try {
      return RE2JS.compile(expression);
    } catch {
      throw this.wrong(at, 'is not a regular expression that Go reads');
    }
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

/** Short names of predicate types, as `cosign attest --type` and the cluster read them. */
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
