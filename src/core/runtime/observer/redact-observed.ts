import type { FileChange, FileContent, FileRead } from '../../filesystem/index.ts';
import { present } from '../../internal/index.ts';
import type { LogAppend, SessionRead, SliceWrite } from '../../session/index.ts';
import type { Redactor } from '../redaction/index.ts';
import type { ObservedAttempt, ObservedRequest, ObservedResponse, ObservedState } from './observed.ts';

/** Marks what `redact` changed something in. */
function marked<T extends { readonly isRedacted: boolean }>(redactor: Redactor, make: () => T): T {
  const before = redactor.alterations;
  const made = make();
  return redactor.alterations === before ? made : { ...made, isRedacted: true };
}

/** State as observers may see it. */
export function redactState(state: ObservedState, redactor: Redactor): ObservedState {
  return marked(redactor, () => ({
    ...state,
    writes: redactWrites(state.writes, redactor),
    log: redactLog(state.log, redactor),
  }));
}

/** A request as observers may see it. */
export function redactRequest(request: ObservedRequest, redactor: Redactor): ObservedRequest {
  return marked(redactor, () => redactor.record(request));
}

/** An answer as observers may see it. Items of the provider hold what the parts say again, and more: they are data. */
export function redactResponse(response: ObservedResponse, redactor: Redactor): ObservedResponse {
  return marked(redactor, () => redactor.record(response));
}

/** An attempt as observers may see it: texts of the library stay, everything else is redacted, contents when they are read. */
export function redactAttempt<T extends ObservedAttempt>(attempt: T, redactor: Redactor): T {
  return marked(redactor, () => {
    const { reads, writes, log, events, files, params, ...rest } = attempt;
    const redacted = {
      ...redactor.record(rest),
      ...present({ params: params === undefined ? undefined : redactor.data(params) }),
      reads: reads.map((read) => redactRead(read, redactor)),
      writes: redactWrites(writes, redactor),
      log: redactLog(log, redactor),
      events: events.map((event) => ({ ...event, payload: redactor.data(event.payload) })),
      files: files.map((change) => redactChange(change, redactor)),
    };
    // The same members, with strings in the place of strings.
    return redacted as unknown as T;
  });
}

function redactWrites(writes: readonly SliceWrite[], redactor: Redactor): readonly SliceWrite[] {
  return writes.map((write) => {
    const { slice } = write;
    switch (write.op) {
      case 'append':
        return { slice, op: 'append', items: write.items.map((item) => redactor.data(item)) };
      case 'put':
        return { ...write, key: redactor.text(write.key), item: redactor.data(write.item) };
      case 'remove':
        return { slice, op: 'remove', keys: write.keys.map((key) => redactor.text(key)) };
      case 'clear':
        return write;
    }
  });
}

function redactLog(log: readonly LogAppend[], redactor: Redactor): readonly LogAppend[] {
  return log.map(({ slice, items }) => ({ slice, items: items.map((item) => redactor.data(item)) }));
}

/** What was read as observers may see it. */
export function redactRead(read: FileRead | SessionRead, redactor: Redactor): FileRead | SessionRead {
  const { kind, ...rest } = read;
  if (!('content' in rest)) return { kind, ...redactor.record(rest) };
  const { content, ...plain } = rest;
  const shown = content === undefined ? {} : { content: redactContent(content, redactor) };
  return { kind, ...redactor.record(plain), ...shown };
}

function redactChange(change: FileChange, redactor: Redactor): FileChange {
  const { before, after, kind, entry, mode, ...words } = change;
  return {
    kind,
    entry,
    ...present({ mode }),
    ...redactor.record(words),
    ...present({
      before: before === undefined ? undefined : redactContent(before, redactor),
      after: after === undefined ? undefined : redactContent(after, redactor),
    }),
  };
}

/** The content of a file, redacted at once: what it is when an observer reads it later is another matter. Binary content stays away. */
function redactContent(content: FileContent, redactor: Redactor): FileContent {
  const text = readText(content);
  if (text === undefined) {
    const mark = `<${content.bytes} bytes>`;
    return redactedContent(mark);
  }
  const redacted = redactor.text(text);
  return redacted === text ? content : redactedContent(redacted);
}

/** A content that can no longer be read, such as that of a file changed by others, counts as binary. */
function readText(content: FileContent): string | undefined {
  try {
    return content.text();
  } catch {
    return undefined;
  }
}

function redactedContent(text: string): FileContent {
  const data = new TextEncoder().encode(text);
  return Object.freeze({ bytes: data.byteLength, text: () => text, data: () => data.slice() });
}
