import { describe, expect, it } from 'vitest';
import { createDispatcher, Session, type SubscriberFailure } from 'weakincentives';
import { defineSystemEvent } from '../../../../src/core/session/index.ts';
import { unheardRejections } from '../../../support/unheard-rejections.ts';
import { NoteAdded, Notes, Seen, sessionWith, Trail } from './session-fixtures.ts';

describe('subscribers', () => {
  it('hear events of their kind in order, with where they come from', () => {
    const session = sessionWith(Notes, Trail);
    const heard: unknown[] = [];
    const unsubscribe = session.dispatcher.subscribe(NoteAdded, ({ text }, meta) => heard.push([text, meta]));
    session.dispatcher.subscribeAll((_payload, { eventName }) => heard.push(eventName));
    session.dispatch(NoteAdded, { text: 'a' });
    session.dispatch(Seen, { what: 'x' });
    unsubscribe();
    unsubscribe();
    session.dispatch(NoteAdded, { text: 'b' });
    expect(heard).toEqual([
      ['a', { eventName: 'note-added', sessionId: 'test' }],
      'note-added',
      'seen',
      'note-added',
    ]);
  });

  it('never make sessions that share a dispatcher record each other', () => {
    const dispatcher = createDispatcher();
    const one = new Session({ dispatcher });
    const two = new Session({ dispatcher });
    for (const session of [one, two]) session.install(Notes);
    one.dispatch(NoteAdded, { text: 'a' });
    expect(one.slice(Notes).length).toBe(1);
    expect(two.slice(Notes).length).toBe(0);
  });

  it('cannot disturb each other or the dispatch; failures are reported', async () => {
    const reported: unknown[] = [];
    const dispatcher = createDispatcher();
    dispatcher.onFailure(({ error, eventName }) => reported.push([error, eventName]));
    const session = new Session({ dispatcher });
    session.install(Notes);
    const [first, second] = [new Error('first'), new Error('second')];
    let heard = 0;
    dispatcher.subscribe(NoteAdded, () => {
      throw first;
    });
    // A subscriber without types may be asynchronous all the same.
    const rejecting: () => unknown = () => Promise.reject(second);
    dispatcher.subscribe(NoteAdded, rejecting);
    dispatcher.subscribe(NoteAdded, () => void (heard += 1));
    session.dispatch(NoteAdded, { text: 'a' });
    await Promise.resolve();
    await Promise.resolve();
    expect(heard).toBe(1);
    expect(reported).toEqual([
      [first, 'note-added'],
      [second, 'note-added'],
    ]);
  });

  it('report to the logger of a session with a dispatcher of its own', () => {
    const lines: string[] = [];
    const session = new Session({ logger: { error: (message) => void lines.push(message) } });
    session.dispatcher.subscribe(NoteAdded, () => {
      throw new Error('boom');
    });
    session.dispatch(NoteAdded, { text: 'a' });
    expect(lines).toEqual([expect.stringContaining('boom')]);
  });

  it('hear what is dispatched while they hear afterwards, in order', () => {
    const session = sessionWith(Notes);
    const heard: string[] = [];
    session.dispatcher.subscribe(NoteAdded, ({ text }) => {
      heard.push(`first ${text}`);
      if (text === 'a') session.dispatch(NoteAdded, { text: 'b' });
    });
    session.dispatcher.subscribe(NoteAdded, ({ text }) => heard.push(`second ${text}`));
    session.dispatch(NoteAdded, { text: 'a' });
    expect(heard).toEqual(['first a', 'second a', 'first b', 'second b']);
    expect(session.slice(Notes).length).toBe(2);
  });

  it('hear what is published without a slice, validated', () => {
    const dispatcher = createDispatcher();
    const heard: unknown[] = [];
    dispatcher.subscribe(NoteAdded, (payload, { sessionId }) => heard.push([payload, sessionId]));
    dispatcher.dispatch(NoteAdded, { text: 'a' });
    expect(heard).toEqual([[{ text: 'a' }, undefined]]);
    expect(() => dispatcher.dispatch(NoteAdded, { text: 1 as never })).toThrow(
      expect.objectContaining({ code: 'value-invalid' }),
    );
    expect(() => dispatcher.subscribe(defineSystemEvent<null>('note-added'), () => undefined)).toThrow(
      expect.objectContaining({ code: 'event-duplicate' }),
    );
  });

  it('are not told of what comes after they have left, also while they are being told', () => {
    const session = sessionWith(Notes);
    const heard: string[] = [];
    const leave: (() => void)[] = [];
    session.dispatcher.subscribe(NoteAdded, ({ text }) => {
      heard.push(`first ${text}`);
      for (const end of leave) end();
    });
    leave.push(
      session.dispatcher.subscribe(NoteAdded, ({ text }) => heard.push(`second ${text}`)),
      session.dispatcher.subscribeAll(() => heard.push('all')),
    );
    session.dispatcher.subscribe(NoteAdded, ({ text }) => heard.push(`third ${text}`));
    session.dispatch(NoteAdded, { text: 'a' });
    session.dispatch(NoteAdded, { text: 'b' });
    expect(heard).toEqual(['first a', 'third a', 'first b', 'third b']);
  });

  it('that join while an event is told hear the next one', () => {
    const session = sessionWith(Notes);
    const heard: string[] = [];
    const end = session.dispatcher.subscribe(NoteAdded, () => {
      end();
      session.dispatcher.subscribe(NoteAdded, ({ text }) => heard.push(text));
    });
    session.dispatch(NoteAdded, { text: 'a' });
    expect(heard).toEqual([]);
    session.dispatch(NoteAdded, { text: 'b' });
    expect(heard).toEqual(['b']);
  });
});

describe('failures of subscribers', () => {
  it('are heard with the event, in order, by all who listen, until they leave', async () => {
    const session = sessionWith(Notes);
    const heard: SubscriberFailure[] = [];
    const [thrown, rejected] = [new Error('thrown'), new Error('rejected')];
    session.dispatcher.subscribe(NoteAdded, () => {
      throw thrown;
    });
    // Code without types may return anything with a then method.
    const thenable = { then: (_resolve: unknown, reject: (error: Error) => void): void => reject(rejected) };
    session.dispatcher.subscribe(NoteAdded, (): unknown => thenable);
    const leave = session.dispatcher.onFailure((failure) => heard.push(failure));
    session.dispatch(NoteAdded, { text: 'a' });
    // Who listened when the subscriber was called hears of it also afterwards.
    leave();
    leave();
    session.dispatch(NoteAdded, { text: 'b' });
    for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
    const meta = { eventName: 'note-added', sessionId: 'test' };
    expect(heard).toEqual([
      { ...meta, error: thrown },
      { ...meta, error: rejected },
    ]);
  });

  it('stay failures of subscribers when whoever hears of them throws', async () => {
    const reported: unknown[] = [];
    const dispatcher = createDispatcher();
    dispatcher.onFailure(() => {
      throw new Error('the reporter is broken');
    });
    dispatcher.onFailure(({ error }) => reported.push(error));
    const session = new Session({ dispatcher });
    session.install(Notes);
    let heard = 0;
    dispatcher.subscribe(NoteAdded, () => {
      throw new Error('subscriber');
    });
    const rejecting: () => unknown = () => Promise.reject(new Error('later'));
    dispatcher.subscribe(NoteAdded, rejecting);
    dispatcher.subscribe(NoteAdded, () => void (heard += 1));
    const unheard = await unheardRejections(async () => session.dispatch(NoteAdded, { text: 'a' }));
    expect(unheard).toEqual([]);
    expect(heard).toBe(1);
    expect(reported).toHaveLength(2);
    expect(session.slice(Notes).length).toBe(1);
  });
});

describe('the patch of a fork', () => {
  it('may be told in other words than it is recorded', () => {
    const session = sessionWith(Notes);
    const heard: string[] = [];
    session.dispatcher.subscribe(NoteAdded, ({ text }) => heard.push(text));
    const fork = session.fork();
    fork.view.dispatch(NoteAdded, { text: 'a' });
    expect(fork.conflicts()).toEqual([]);
    session.apply(fork.patch(), (event) => ({ ...event, payload: { text: 'hidden' } }));
    expect(heard).toEqual(['hidden']);
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }]);
  });
});
