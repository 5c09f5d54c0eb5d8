import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isAbsent } from '../../../files/error-code.js';
import { writeTransaction } from '../../../files/transaction.js';
import type { Pin } from '../../../bundle/package-object.js';
import { byCodePoint } from '../../../text/code-point-order.js';
import type { LockfilePlan } from '../../../usecases/plan/plan.js';
import { PLAN_PAGE, renderPlan, STEP_FILES } from '../../../usecases/plan/render-plan.js';
import { planMarkdown } from '../../output/plan/plan-markdown.js';
import { inScript, planCommands } from '../../output/plan/step-commands.js';
import type { Io } from '../io.js';
import { workingPlace } from '../lock-file.js';

const STEP_FOLDER = /^\d{2,}$/;

/** A folder as commands name it, without a slash at the end. */
export function planFolder(named: string): string {
  return dirname(join(named, PLAN_PAGE));
}

/** Writes a plan into a folder, all or nothing; what an older plan left there goes. Returns the files. */
export async function writePlanFolder(
  named: string,
  plan: LockfilePlan,
  pin: Pin,
  io: Io,
): Promise<readonly string[]> {
  const commands = planCommands(plan, { folder: named, pin });
  const page = `\n${planMarkdown(plan, commands)}`;
  const files = renderPlan(plan, { commands: commands.map(inScript), page, pin });
  const folder = resolve(io.cwd, named);
  const steps = (await namesIn(folder)).filter((name) => STEP_FOLDER.test(name));
  const old = steps.flatMap((step) => STEP_FILES.map((name) => `${step}/${name}`));
  const names = new Set([...files.keys(), ...old, PLAN_PAGE]);
  const changes = Array.from(names, (name) => ({
    path: join(folder, name),
    content: files.get(name),
    ownOnly: true,
  }));
  await writeTransaction(changes, workingPlace(io));
  return [...files.keys()].map((name) => `${named}/${name}`).sort(byCodePoint);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
