import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Blob, Image } from '../support/registry/image.js';

export interface Account {
  readonly user: string;
  readonly password: string;
}

/** Runs Debian's docker-registry on loopback for one test. */
export class DockerRegistry {
  readonly host: string;
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #account: Account | undefined;
  #output = '';

  private constructor(host: string, folder: string, account: Account | undefined) {
    this.host = host;
    this.folder = folder;
    this.#account = account;
    this.#child = spawn('docker-registry', ['serve', join(folder, 'config.yml')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
  }

  static async start(account?: Account): Promise<DockerRegistry> {
    const folder = await mkdtemp(join(tmpdir(), 'docker-registry-'));
    const host = `127.0.0.1:${await freePort()}`;
    await writeFile(join(folder, 'config.yml'), JSON.stringify(configOf(host, folder, account)));
    if (account !== undefined) {
      const args = ['-Bbn', account.user, account.password];
      await writeFile(join(folder, 'htpasswd'), mustRun('htpasswd', args));
    }
    const registry = new DockerRegistry(host, folder, account);
    await registry.#up();
    return registry;
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Clears the log of requests. */
  forget(): void {
    this.#output = '';
  }

  /** Returns successful requests of the access log, such as `GET /v2/a/p/tags/list`. */
  get answered(): readonly string[] {
    const lines = this.#output.matchAll(/"([A-Z]+ \/v2\/\S+) HTTP\/1\.1" 2\d\d /g);
    return Array.from(lines, ([, line]) => line!);
  }

  async push(path: string, tag: string, image: Image): Promise<void> {
    for (const blob of image.blobs) await this.#pushBlob(path, blob);
    for (const manifest of [...image.manifests, image]) {
      const reference = manifest === image ? tag : manifest.digest;
      await this.#send('PUT', `/v2/${path}/manifests/${reference}`, manifest.bytes, {
        'content-type': manifest.mediaType,
      });
    }
  }

  async #pushBlob(path: string, { digest, bytes }: Blob): Promise<void> {
    const opened = await this.#send('POST', `/v2/${path}/blobs/uploads/`);
    const upload = new URL(opened.headers.get('location')!, `http://${this.host}`);
    upload.searchParams.set('digest', digest);
    await this.#send('PUT', `${upload.pathname}${upload.search}`, bytes, {
      'content-type': 'application/octet-stream',
    });
  }

  async #send(
    method: string,
    path: string,
    body?: Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const account = this.#account;
    const authorization =
      account === undefined
        ? {}
        : { authorization: `Basic ${btoa(`${account.user}:${account.password}`)}` };
    const response = await fetch(`http://${this.host}${path}`, {
      method,
      headers: { ...headers, ...authorization },
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response;
  }

  async #up(): Promise<void> {
    for (let tries = 0; tries < 200 && this.#child.exitCode === null; tries += 1) {
      const answer = await fetch(`http://${this.host}/v2/`).catch(() => undefined);
      if (answer !== undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`docker-registry did not start: ${this.#output}`);
  }
}

function configOf(host: string, folder: string, account: Account | undefined): object {
  return {
    version: '0.1',
    log: { accesslog: { disabled: false }, level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: host },
    ...(account === undefined
      ? {}
      : { auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } } }),
  };
}

/** Runs a tool and returns its output; throws if it is missing or fails. */
export function mustRun(
  program: string,
  args: readonly string[],
  options: { readonly input?: Uint8Array } = {},
): Buffer {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    ...options,
    maxBuffer: 1 << 28,
  });
  if (error !== undefined) throw new Error(`conformance needs \`${program}\``, { cause: error });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.toString()}`);
  return stdout;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
