import { join } from 'node:path';
import { present } from '../../core/internal/index.ts';
import { findRun, type JournaledRun, type RunJournal } from '../../core/runtime/index.ts';
import { canonicalJson } from '../../core/schema/index.ts';
import { type AskedQuestion, askerOf, isLasting, whyWithoutEffect } from '../../durable/internal.ts';
import { sha256 } from '../../record/index.ts';
import type { ServedCode } from '../commands/serve.ts';
import type { KeptRequest } from '../journal/kept-request.ts';
import { readRunInfo } from '../journal/run-info.ts';
import { codeFiles, fileHash, whatDecides } from '../journal/served-code.ts';
import { printable, readableTime } from '../process/plain-text.ts';

type ServeRequest = Extract<KeptRequest, { readonly kind: 'serve' }>;

/** A run of a server, and what it was started with. */
interface ServerRun {
  readonly run: JournaledRun;
  readonly request: ServeRequest;
}

/**
 * Why an answer to a question of a server would have no effect now, without a period; undefined: it may have one. For a run of another kind there is no reason.
 *
 * @param questions of the run.
 */
export async function withoutEffect(
  run: JournaledRun,
  questions: readonly AskedQuestion[],
  journal: RunJournal,
): Promise<string | undefined> {
  const ended = await whyWithoutEffect(run, async (name) => (await findRun(journal, name))?.status);
  if (ended !== undefined) return printable(ended.replace(/\.$/, ''));
  const request = serveRequestOf(run);
  const code = request?.code;
  if (askerOf(run) === undefined || !isLasting(run) || request === undefined || code === undefined)
    return undefined;
  const servers = (await serversLike(run, request, journal)).filter(
    (each) => each.run.startedAtMs >= run.startedAtMs || each.run.status === 'running',
  );
  const isServed = servers.some(
    (each) => each.run.status === 'running' && isSameCode(each.request.code, code),
  );
  if (!isServed) {
    const edited = (await editedFile(request, code)) ?? changedPrompt(servers, code);
    if (edited !== undefined) return edited;
  }
  // What a running server has not written is not in the folder.
  return isServed && request.apply !== 'each' ? undefined : changedFile(run, questions);
}

function serveRequestOf(run: JournaledRun): ServeRequest | undefined {
  const request = readRunInfo(run)?.request;
  return request === undefined || request === 'unreadable' || request.kind !== 'serve' ? undefined : request;
}

/** The servers on the folder of a question that were started with the same options, the one that was updated last first. */
async function serversLike(
  { agent, workspace }: JournaledRun,
  request: ServeRequest,
  journal: RunJournal,
): Promise<readonly ServerRun[]> {
  const like = canonicalJson(whatDecides(request));
  const runs = await journal.runs(present({ workspace }));
  return runs.flatMap((run): readonly ServerRun[] => {
    const asked = serveRequestOf(run);
    if (asked === undefined || askerOf(run) !== undefined) return [];
    if (run.workspace !== workspace || run.agent !== agent) return [];
    return canonicalJson(whatDecides(asked)) === like ? [{ run, request: asked }] : [];
  });
}

function isSameCode(left: ServedCode | undefined, right: ServedCode): boolean {
  return left?.prompt === right.prompt && codeFiles.every((name) => left[name] === right[name]);
}

async function editedFile(request: ServeRequest, code: ServedCode): Promise<string | undefined> {
  for (const name of codeFiles) {
    const path = request[name];
    if (path === undefined || (await fileHash(path)) === code[name]) continue;
    return `"${printable(path)}" has changed since the question was asked: a server asks anew when the call is made again`;
  }
  return undefined;
}

/** The files are the same, and what they import is not. */
function changedPrompt(servers: readonly ServerRun[], code: ServedCode): string | undefined {
  const [last] = servers.toSorted((left, right) => right.run.startedAtMs - left.run.startedAtMs);
  if (last?.request.code === undefined || last.request.code.prompt === code.prompt) return undefined;
  const { runId, startedAtMs } = last.run;
  return `the prompt of the agent, or one of its tools, has changed since the question was asked, as the server ${printable(runId)} of ${readableTime(startedAtMs)} has found: a server asks anew when the call is made again`;
}

/** A question about changes is about these files as they were found. */
async function changedFile(
  { workspace }: JournaledRun,
  questions: readonly AskedQuestion[],
): Promise<string | undefined> {
  if (workspace === undefined) return undefined;
  for (const { question } of questions) {
    for (const { path, entry, before, link, replacedLink } of question.changes ?? []) {
      if (entry !== 'file' || link !== undefined || replacedLink !== undefined) continue;
      const found = before === undefined ? undefined : sha256(before.data());
      if ((await fileHash(join(workspace, path))) === found) continue;
      return `"${printable(path)}" has changed since the question was asked: the call would change something else now, and is asked about anew`;
    }
  }
  return undefined;
}
