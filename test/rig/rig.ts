import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, cpSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { mappingOf, stringOf, type JsonObject } from '../../src/text/json.js';
import { KubeApi } from './kube-api.js';

const WORK =
  process.env['XPKG_RIG'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'xpkg-rig');
const NAMESPACE = 'crossplane-system';
const CORE: { readonly at: string } = { at: '/api/v1' };

/** So many seconds are given to each part to come up, and then to the last of them to go. */
const SECONDS_TO_START = 120;
const POLL_MS = 250;

/**
 * A cluster without containers: etcd, an API server and Crossplane's own core controllers, as
 * processes on loopback. What packages run is made up: every Deployment is said to be available.
 */
export class Rig {
  readonly api: KubeApi;
  readonly #folder: string;
  readonly #children: readonly ChildProcess[];
  readonly #runtime: NodeJS.Timeout;

  private constructor(api: KubeApi, folder: string, children: readonly ChildProcess[]) {
    this.api = api;
    this.#folder = folder;
    this.#children = children;
    this.#runtime = setInterval(() => void this.#run().catch(() => undefined), 1000);
  }

  /** A new, empty cluster with a release of Crossplane, which is given these flags. */
  static async up(release: string, flags: readonly string[] = []): Promise<Rig> {
    const folder = await mkdtemp(join(tmpdir(), 'xpkg-rig-'));
    const children: ChildProcess[] = [];
    try {
      return await start(release, flags, { folder, children });
    } catch (error) {
      for (const child of children) child.kill('SIGKILL');
      throw error;
    }
  }

  static of(api: KubeApi, folder: string, children: readonly ChildProcess[]): Rig {
    return new Rig(api, folder, children);
  }

  /** Tries until it succeeds. */
  until(attempt: () => Promise<void>): Promise<void> {
    return until('what is waited for', attempt);
  }

  async down(): Promise<void> {
    clearInterval(this.#runtime);
    await this.api.close();
    for (const child of this.#children.toReversed()) {
      const ended = new Promise((done) => child.once('exit', done));
      // Nothing is to be kept, so nothing need be brought to an end in good order.
      if (child.exitCode === null && child.kill('SIGKILL')) await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Does the work of the deployment controller and of kubelets. */
  async #run(): Promise<void> {
    const apps = '/apis/apps/v1';
    for (const deployment of await this.api.list({ at: apps, plural: 'deployments' })) {
      const { name, namespace } = mappingOf(deployment['metadata']) ?? {};
      if (mappingOf(deployment['status'])?.['availableReplicas'] === 1) continue;
      const available = { type: 'Available', status: 'True', reason: 'Rig', message: 'by the rig' };
      const counts = { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 };
      const path = `${apps}/namespaces/${stringOf(namespace)}/deployments/${stringOf(name)}`;
      await this.api.setStatus(path, { ...counts, conditions: [available] });
    }
  }
}

interface Starting {
  readonly folder: string;
  readonly children: ChildProcess[];
}

async function start(release: string, flags: readonly string[], starting: Starting): Promise<Rig> {
  const { folder, children } = starting;
  const [etcd, peer, secure, metrics, health, webhook] = await freePorts(6);
  const run = (name: string, program: string, args: readonly string[], env = process.env) => {
    const log = openSync(join(folder, `${name}.log`), 'a');
    const child = spawn(binary(program), args, { env, stdio: ['ignore', log, log] });
    closeSync(log);
    children.push(child);
  };
  run('etcd', 'etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${loopback(etcd)}`,
    `--advertise-client-urls=${loopback(etcd)}`,
    `--listen-peer-urls=${loopback(peer)}`,
    `--initial-advertise-peer-urls=${loopback(peer)}`,
    `--initial-cluster=default=${loopback(peer)}`,
    '--unsafe-no-fsync',
    '--log-level=error',
  ]);
  const tls = join(folder, 'tls');
  mkdirSync(tls);
  mustRun('openssl', ['genrsa', '-out', join(tls, 'sa.key'), '2048']);
  const token = randomBytes(16).toString('hex');
  await writeFile(join(tls, 'tokens.csv'), `${token},rig,rig,system:masters\n`);
  run('kube-apiserver', 'kube-apiserver', [
    `--etcd-servers=${loopback(etcd)}`,
    `--secure-port=${secure}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--cert-dir=${tls}`,
    '--service-cluster-ip-range=10.96.0.0/24',
    '--service-account-issuer=https://rig',
    `--service-account-key-file=${join(tls, 'sa.key')}`,
    `--service-account-signing-key-file=${join(tls, 'sa.key')}`,
    `--token-auth-file=${join(tls, 'tokens.csv')}`,
    '--authorization-mode=AlwaysAllow',
    '--disable-admission-plugins=ServiceAccount',
  ]);
  const server = `https://127.0.0.1:${secure}`;
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(server, token)));
  const api = new KubeApi(server, token);
  const names = { metadata: { name: NAMESPACE } };
  await until(`the API server of ${folder}`, async () => {
    await api.create({ ...CORE, plural: 'namespaces' }, names);
  });
  const namespaced = `namespaces/${NAMESPACE}`;
  await until('a service account', () => {
    const account = { metadata: { name: 'crossplane' } };
    return api.create({ ...CORE, plural: `${namespaced}/serviceaccounts` }, account);
  });
  const env = { ...process.env, ...CROSSPLANE_ENV };
  await initialize(release, folder, env);
  const secret = await api.get(`/api/v1/${namespaced}/secrets/crossplane-tls-client`);
  for (const [file, data] of Object.entries(mappingOf(secret?.['data']) ?? {})) {
    await writeFile(join(tls, file), Buffer.from(stringOf(data) ?? '', 'base64'));
  }
  mkdirSync(join(folder, 'cache'));
  run(
    'crossplane',
    `crossplane-${release}`,
    [
      'core',
      'start',
      `--cache-dir=${join(folder, 'cache')}`,
      `--tls-client-certs-dir=${tls}`,
      `--metrics-port=${metrics}`,
      `--health-probe-port=${health}`,
      `--webhook-port=${webhook}`,
      ...flags,
    ],
    { ...env, KUBECONFIG: kubeconfig },
  );
  await until(`Crossplane ${release} of ${folder}`, async () => {
    const { ok } = await fetch(`${loopback(health)}/readyz`);
    if (!ok) throw new Error('not ready');
  });
  return Rig.of(api, folder, children);
}

function loopback(port: number | undefined): string {
  return `http://127.0.0.1:${port}`;
}

const CROSSPLANE_ENV = {
  POD_NAMESPACE: NAMESPACE,
  POD_SERVICE_ACCOUNT: 'crossplane',
  ENABLE_WEBHOOKS: 'false',
  WEBHOOK_ENABLED: 'false',
  TLS_CA_SECRET_NAME: 'crossplane-root-ca',
  TLS_CLIENT_SECRET_NAME: 'crossplane-tls-client',
  TLS_SERVER_SECRET_NAME: 'crossplane-tls-server',
};

/**
 * What the Helm chart has done first: CRDs, certificates, the Lock, defaults. It reads `/crds`, and
 * up to v1.20 no flag says otherwise, so it gets a root folder of its own.
 */
async function initialize(release: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const root = join(folder, 'root');
  cpSync(join(WORK, 'crds', release, 'crds'), join(root, 'crds'), { recursive: true });
  await copyFile(join(folder, 'kubeconfig'), join(root, 'kubeconfig'));
  await copyFile(binary(`crossplane-${release}`), join(root, 'crossplane'));
  const become = process.getuid?.() === 0 ? [] : ['unshare', '--map-root-user'];
  // A release that knows no activation says so in its help.
  const help = spawnSync(binary(`crossplane-${release}`), ['core', 'init', '--help']);
  const activation = help.stdout.includes('--activation') ? ['--activation', '*'] : [];
  const line = [...become, 'chroot', root, '/crossplane', 'core', 'init', ...activation];
  // As under a kubelet, it fails until the CRDs that it made are served.
  await until('`crossplane core init`', async () => {
    mustRun(line[0]!, line.slice(1), { ...env, KUBECONFIG: '/kubeconfig' });
  });
}

function binary(name: string): string {
  const path = join(WORK, 'bin', name);
  if (!existsSync(path)) throw new Error(`there is no ${path}: run test/rig/build.sh`);
  return path;
}

function kubeconfigOf(server: string, token: string): JsonObject {
  const name = 'rig';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

function mustRun(program: string, args: readonly string[], env = process.env): void {
  const { error, status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
  if (error !== undefined) throw new Error(`the rig needs \`${program}\``, { cause: error });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}${stdout}`);
}

/** Tries until it succeeds; what it failed with last is thrown when it takes too long. */
async function until(what: string, attempt: () => Promise<void>): Promise<void> {
  const end = Date.now() + SECONDS_TO_START * 1000;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what} does not come up`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port; // what a listening TCP server has
    }),
  );
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports;
}
