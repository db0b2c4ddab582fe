import { none } from '../../internal/index.ts';
import type { DeepReadonly } from '../../schema/index.ts';
import type { Dispatcher, EventMeta, SubscriberFailure } from '../event/dispatcher.ts';
import { type DispatchedEvent, type EventDefinition, parsePayload } from '../event/event.ts';
import type { Access } from './state-cell.ts';

/** The dispatcher inside a fork: events wait in the fork until it is applied, subscriptions go to the root's dispatcher. */
export class BufferedDispatcher implements Dispatcher {
  readonly #access: Access;
  readonly #root: Dispatcher;

  constructor(access: Access, root: Dispatcher) {
    this.#access = access;
    this.#root = root;
  }

  subscribe<Input, Output>(
    event: EventDefinition<Input, Output>,
    subscriber: (payload: DeepReadonly<Output>, meta: EventMeta) => void,
  ): () => void {
    this.#assertUsable();
    return this.#root.subscribe(event, subscriber);
  }

  subscribeAll(subscriber: (payload: unknown, meta: EventMeta) => void): () => void {
    this.#assertUsable();
    return this.#root.subscribeAll(subscriber);
  }

  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: NoInfer<Input>): void {
    this.#assertUsable();
    this.#buffer({ name: event.name, payload: parsePayload(event, payload), policy: 'none' });
  }

  onFailure(listener: (failure: SubscriberFailure) => void): () => void {
    this.#assertUsable();
    return this.#root.onFailure(listener);
  }

  screenFailures(sessionId: string, screen: (error: unknown) => unknown): () => void {
    this.#assertUsable();
    return this.#root.screenFailures(sessionId, screen);
  }

  deliver(event: DispatchedEvent, _sessionId: string): void {
    this.#assertUsable();
    this.#buffer(event);
  }

  #assertUsable(): void {
    this.#access.cell.assertUsable('write', this.#access.part);
  }

  #buffer(event: DispatchedEvent): void {
    const { cell } = this.#access;
    cell.commit(cell.current, undefined, none, event);
  }
}
