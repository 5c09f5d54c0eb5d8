import { Agent, request } from 'undici';
import type { JsonObject } from '../../src/base/json.js';

/** The plural of a kind and the API path of its group. */
export interface Resource {
  readonly at: string;
  readonly plural: string;
}

export const LOCK: Resource = { at: '/apis/pkg.crossplane.io/v1beta1', plural: 'locks' };

/** The API server of a rig, which accepts its token. */
export class KubeApi {
  readonly #base: string;
  readonly #token: string;
  // The rig has a self-signed certificate.
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false } });

  constructor(base: string, token: string) {
    this.#base = base;
    this.#token = token;
  }

  /** Returns the resource at a path, or undefined if it or the server does not exist. */
  async get(path: string): Promise<JsonObject | undefined> {
    try {
      return await this.#send('GET', path);
    } catch {
      return undefined;
    }
  }

  async list({ at, plural }: Resource): Promise<readonly JsonObject[]> {
    const { items } = await this.#send('GET', `${at}/${plural}`);
    return (items ?? []) as readonly JsonObject[]; // a list of the API has objects
  }

  /** Creates or replaces an object. */
  async apply({ at, plural }: Resource, name: string, object: JsonObject): Promise<void> {
    const path = `${at}/${plural}/${name}?fieldManager=rig&force=true`;
    await this.#send('PATCH', path, object, 'application/apply-patch+yaml');
  }

  async create({ at, plural }: Resource, object: JsonObject): Promise<void> {
    await this.#send('POST', `${at}/${plural}`, object, 'application/json');
  }

  /** Deletes an object if it exists. */
  async remove({ at, plural }: Resource, name: string): Promise<void> {
    try {
      await this.#send('DELETE', `${at}/${plural}/${name}`);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Deletes all objects of a resource. */
  async removeAll({ at, plural }: Resource): Promise<void> {
    await this.#send('DELETE', `${at}/${plural}`);
  }

  /** Merges into an object if it exists. */
  async merge({ at, plural }: Resource, name: string, part: JsonObject): Promise<void> {
    try {
      await this.#send('PATCH', `${at}/${plural}/${name}`, part, 'application/merge-patch+json');
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Merges into the status of an object. */
  async setStatus(path: string, status: JsonObject): Promise<void> {
    await this.#send('PATCH', `${path}/status`, { status }, 'application/merge-patch+json');
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #send(
    method: 'DELETE' | 'GET' | 'PATCH' | 'POST',
    path: string,
    body?: JsonObject,
    type?: string,
  ): Promise<JsonObject> {
    const response = await request(`${this.#base}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(type !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode < 300) return JSON.parse(text) as JsonObject;
    throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
  }
}

function isGone(error: unknown): boolean {
  return String(error).includes(': 404 ');
}
