import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mappingOf, stringOf, type JsonObject } from '../../src/base/json.js';
import { KubeApi } from './kube-api.js';
import { binary, BUILT, freePorts, mustRun, RigProcesses, until } from './rig-processes.js';

const NAMESPACE = 'crossplane-system';
const CORE: { readonly at: string } = { at: '/api/v1' };

export interface RigOptions {
  /** Flags of Crossplane. */
  readonly flags?: readonly string[] | undefined;
  /** Whether objects without owners are deleted, as by kube-controller-manager. */
  readonly collectsGarbage?: boolean | undefined;
}

/**
 * A cluster without containers: etcd, an API server and Crossplane's core controllers as processes
 * on loopback. Package workloads are faked: every Deployment is reported as available.
 */
export class Rig {
  readonly api: KubeApi;
  /** The kubeconfig for kubectl. */
  readonly kubeconfig: string;
  readonly #folder: string;
  readonly #processes: RigProcesses;
  /** The running release. */
  #program = '';
  #isDown = false;
  #runtime: Promise<void> | undefined;

  private constructor(api: KubeApi, folder: string, processes: RigProcesses) {
    this.api = api;
    this.kubeconfig = kubeconfigIn(folder);
    this.#folder = folder;
    this.#processes = processes;
  }

  /** Creates an empty cluster with a release of Crossplane. */
  static async up(release: string, options: RigOptions = {}): Promise<Rig> {
    const { flags = [], collectsGarbage = false } = options;
    const folder = await mkdtemp(join(tmpdir(), 'xpkg-rig-'));
    const processes = new RigProcesses(folder);
    try {
      const rig = new Rig(await startServer(folder, processes), folder, processes);
      await rig.startCrossplane(release, flags);
      if (collectsGarbage) rig.#collectGarbage();
      rig.#runtime = rig.#runAll();
      return rig;
    } catch (error) {
      // Keeps the folder with all logs.
      await processes.endAll();
      throw error;
    }
  }

  /** Replaces the running release with another one; the cluster stays. */
  async startCrossplane(release: string, flags: readonly string[] = []): Promise<void> {
    await this.#processes.end(this.#program);
    this.#program = `crossplane-${release}`;
    await initialize(release, this.#folder);
    const tls = join(this.#folder, 'tls');
    const at = `/api/v1/namespaces/${NAMESPACE}/secrets/crossplane-tls-client`;
    const secret = await this.api.get(at);
    for (const [file, data] of Object.entries(mappingOf(secret?.['data']) ?? {})) {
      await writeFile(join(tls, file), Buffer.from(stringOf(data) ?? '', 'base64'));
    }
    const cache = join(this.#folder, 'cache');
    await rm(cache, { recursive: true, force: true });
    mkdirSync(cache);
    const [metrics, health, webhook] = await freePorts(3);
    this.#processes.start(
      this.#program,
      ['core', 'start', `--cache-dir=${cache}`, `--tls-client-certs-dir=${tls}`, ...flags],
      {
        ...CROSSPLANE_ENV,
        KUBECONFIG: this.kubeconfig,
        // Flags for these exist since v1.18; test/rig/build.sh patches older releases to read the
        // variables.
        METRICS_PORT: String(metrics),
        HEALTH_PROBE_PORT: String(health),
        WEBHOOK_PORT: String(webhook),
      },
    );
    await until(`Crossplane ${release} of ${this.#folder}`, async () => {
      const { ok } = await fetch(`${loopback(health)}/readyz`);
      if (!ok) throw new Error('not ready');
    });
  }

  /** Repeats an attempt until it succeeds. */
  until(attempt: () => Promise<void>): Promise<void> {
    return until('what is waited for', attempt);
  }

  async down(): Promise<void> {
    this.#isDown = true;
    await this.#runtime;
    await this.api.close();
    await this.#processes.endAll();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #collectGarbage(): void {
    this.#processes.start('kube-controller-manager', [
      `--kubeconfig=${this.kubeconfig}`,
      '--controllers=garbage-collector-controller',
      '--leader-elect=false',
      '--secure-port=0',
    ]);
  }

  async #runAll(): Promise<void> {
    while (!this.#isDown) {
      await this.#run().catch(() => undefined);
      await new Promise((next) => setTimeout(next, 1000));
    }
  }

  /** Does the work of the deployment controller and of kubelets. */
  async #run(): Promise<void> {
    const apps = '/apis/apps/v1';
    for (const deployment of await this.api.list({ at: apps, plural: 'deployments' })) {
      const { name, namespace, generation } = mappingOf(deployment['metadata']) ?? {};
      if (mappingOf(deployment['status'])?.['availableReplicas'] === 1) continue;
      const available = { type: 'Available', status: 'True', reason: 'Rig', message: 'by the rig' };
      const counts = { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 };
      const path = `${apps}/namespaces/${stringOf(namespace)}/deployments/${stringOf(name)}`;
      const observed = generation === undefined ? {} : { observedGeneration: generation };
      await this.api.setStatus(path, { ...counts, ...observed, conditions: [available] });
    }
  }
}

/** Starts etcd and an API server with the namespace of Crossplane. */
async function startServer(folder: string, processes: RigProcesses): Promise<KubeApi> {
  const [etcd, peer, secure] = await freePorts(3);
  processes.start('etcd', [
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
  await mustRun('openssl', ['genrsa', '-out', join(tls, 'sa.key'), '2048']);
  const token = randomBytes(16).toString('hex');
  await writeFile(join(tls, 'tokens.csv'), `${token},rig,rig,system:masters\n`);
  const flags = [
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
  ];
  processes.start('kube-apiserver', flags, MORE_MEMORY);
  const server = `https://127.0.0.1:${secure}`;
  await writeFile(kubeconfigIn(folder), JSON.stringify(kubeconfigOf(server, token)));
  const api = new KubeApi(server, token);
  const names = { metadata: { name: NAMESPACE } };
  await until(`the API server of ${folder}`, async () => {
    await api.create({ ...CORE, plural: 'namespaces' }, names);
  });
  await until('a service account', () => {
    const account = { metadata: { name: 'crossplane' } };
    return api.create({ ...CORE, plural: `namespaces/${NAMESPACE}/serviceaccounts` }, account);
  });
  return api;
}

/** Runs Go's garbage collector less often, which saves CPU time and uses more memory. */
const MORE_MEMORY = { GOGC: '400' };

function kubeconfigIn(folder: string): string {
  return join(folder, 'kubeconfig');
}

function loopback(port: number | undefined): string {
  return `http://127.0.0.1:${port}`;
}

const CROSSPLANE_ENV = {
  ...MORE_MEMORY,
  POD_NAMESPACE: NAMESPACE,
  POD_SERVICE_ACCOUNT: 'crossplane',
  ENABLE_WEBHOOKS: 'false',
  WEBHOOK_ENABLED: 'false',
  TLS_CA_SECRET_NAME: 'crossplane-root-ca',
  TLS_CLIENT_SECRET_NAME: 'crossplane-tls-client',
  TLS_SERVER_SECRET_NAME: 'crossplane-tls-server',
};

/**
 * Does the work of the Helm chart: CRDs, certificates, the Lock, defaults. It reads `/crds`, which
 * up to v1.20 no flag changes, so it runs with its own root folder.
 */
async function initialize(release: string, folder: string): Promise<void> {
  const root = join(folder, `root-${release}`);
  cpSync(join(BUILT, 'crds', release, 'crds'), join(root, 'crds'), { recursive: true });
  await copyFile(kubeconfigIn(folder), join(root, 'kubeconfig'));
  await copyFile(binary(`crossplane-${release}`), join(root, 'crossplane'));
  const become = process.getuid?.() === 0 ? [] : ['unshare', '--map-root-user'];
  // The help of a release without activation policies does not list the flag.
  const help = await mustRun(binary(`crossplane-${release}`), ['core', 'init', '--help']);
  const activation = help.includes('--activation') ? ['--activation', '*'] : [];
  const line = [...become, 'chroot', root, '/crossplane', 'core', 'init', ...activation];
  const env = { ...process.env, ...CROSSPLANE_ENV, KUBECONFIG: '/kubeconfig' };
  // Like under a kubelet, it is restarted until its CRDs are served.
  await until('`crossplane core init`', async () => {
    await mustRun(line[0]!, line.slice(1), env);
  });
  await rm(root, { recursive: true, force: true });
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
