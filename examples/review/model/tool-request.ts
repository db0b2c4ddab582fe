import type { JsonObject } from 'weakincentives';

/** A call the model wants to make. */
export interface ToolRequest {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A call that was answered. */
export interface AnsweredCall extends ToolRequest {
  /** The unmodified text of the tool result. */
  readonly text: string;
  readonly isError: boolean;
}

/** What identifies a request: the same tool with the same arguments. */
export function requestKey(request: ToolRequest): string {
  return `${request.name} ${JSON.stringify(request.arguments)}`;
}

/** Requests in the order they were added, without duplicates. */
export class RequestQueue {
  readonly #known = new Set<string>();
  readonly #pending = new Map<string, ToolRequest>();

  /** Number of requests that were not made yet. */
  get size(): number {
    return this.#pending.size;
  }

  add(request: ToolRequest): void {
    const key = requestKey(request);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#pending.set(key, request);
  }

  /** Marks the request as made. */
  markAsked(request: ToolRequest): void {
    const key = requestKey(request);
    this.#known.add(key);
    this.#pending.delete(key);
  }

  /** The next requests, at most `limit`; they stay in the queue until they are marked as asked. */
  next(limit: number): readonly ToolRequest[] {
    const requests: ToolRequest[] = [];
    for (const request of this.#pending.values()) {
      if (requests.length === limit) break;
      requests.push(request);
    }
    return requests;
  }
}
