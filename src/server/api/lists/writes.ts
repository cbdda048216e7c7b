import { LIST_WRITES, type ListAnswers } from '#contract/relations/lists.ts';
import type { Context } from 'hono';
import { currentSource } from '#server/http/current-source.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import { PostIds } from '#server/posts/editor/compose.ts';
import type { StoredList } from '#server/posts/store/lists.ts';
import { memberKind } from '#server/posts/store/relation-changes.ts';
import { MOST_MEMBERS } from '#server/posts/index/source.ts';
import {
  change,
  knownUser,
  notPermitted,
  ownId,
  unknownResource,
  unrelate,
  type RelationDeps,
} from '#server/users/acting.ts';
import { reader } from '#server/users/reading.ts';
import type { UserCaller } from '#server/auth/caller.ts';

/** Most lists of an account, as on the platform. */
const MOST_LISTS = 1000;

/** Creates, changes and deletes lists, their members, and what an account follows and pins. */
export function listWrites(deps: RelationDeps): Route[] {
  const { http, source, now } = deps;
  const read = reader(deps);
  const ids = new PostIds();
  interface Own {
    readonly c: Context;
    readonly caller: UserCaller;
  }
  const storeOf = ({ c }: Own) => currentSource(c, source, 'posts').posts;

  /** @throws {@link Fault} 404 if there is no list of that id that the caller may see. */
  const seenList = (call: Own, value: string, parameter: string): StoredList => {
    const id = readId(value);
    const list = id === null ? null : storeOf(call).lists.get(id);
    if (list && (!list.private || String(list.owner) === call.caller.user.id)) return list;
    throw unknownResource('list', parameter, value);
  };
  /** @throws {@link Fault} also 403 if the list belongs to another account. */
  const ownList = (call: Own, value: string): StoredList => {
    const list = seenList(call, value, 'id');
    if (String(list.owner) === call.caller.user.id) return list;
    throw notPermitted('only the owner of a list may change it.');
  };

  return [
    http.serve(LIST_WRITES.create, async (call): Promise<ListAnswers['create']> => {
      const owner = ownId(call.caller, call.caller.user.id);
      const { name, description = '', private: isPrivate = false } = call.body;
      const there = storeOf(call).lists.of(owner, 'older', null, MOST_LISTS).length;
      if (there >= MOST_LISTS) throw notPermitted(`an account has at most ${MOST_LISTS} lists.`);
      for (;;) {
        const createdAt = now();
        const id = ids.next(createdAt);
        const list = { id, owner, name, description, private: isPrivate, createdAt };
        const [added] = await change(deps, call, { what: 'addList', of: [list] });
        if (added) return { data: { id: String(id), name } };
      }
    }),
    http.serve(LIST_WRITES.update, async (call): Promise<ListAnswers['update']> => {
      const { id } = ownList(call, call.params.id);
      const { name, description, private: isPrivate } = call.body;
      const changed = {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(isPrivate !== undefined && { private: isPrivate }),
      };
      await change(deps, call, { what: 'setList', of: [id, changed] });
      return { data: { updated: true } };
    }),
    http.serve(LIST_WRITES.delete, async (call): Promise<ListAnswers['delete']> => {
      const { id } = ownList(call, call.params.id);
      await change(deps, call, { what: 'removeList', of: [id] });
      return { data: { deleted: true } };
    }),
    http.serve(LIST_WRITES.addMember, async (call): Promise<ListAnswers['member'] | Response> => {
      const list = ownList(call, call.params.id);
      const { relations } = storeOf(call);
      if (relations.count(memberKind(list), 'source', list.id).total >= MOST_MEMBERS) {
        throw notPermitted(`a list has at most ${MOST_MEMBERS} members.`);
      }
      const user = await read(call, (reading) => knownUser(reading, call.body.user_id, 'user_id'));
      if (user instanceof Response) return user;
      await change(deps, call, ...user.learn, { what: 'addMember', of: [list.id, user.id] });
      return { data: { is_member: true } };
    }),
    http.serve(LIST_WRITES.removeMember, async (call): Promise<ListAnswers['member']> => {
      const list = ownList(call, call.params.id);
      const user = readId(call.params.user_id);
      if (user !== null) {
        await change(deps, call, { what: 'removeMember', of: [list.id, user] });
      }
      return { data: { is_member: false } };
    }),
    http.serve(LIST_WRITES.follow, async (call): Promise<ListAnswers['follow']> => {
      const user = ownId(call.caller, call.params.id);
      const { id } = seenList(call, call.body.list_id, 'list_id');
      await change(deps, call, { what: 'relate', of: ['subscription', user, id] });
      return { data: { following: true } };
    }),
    http.serve(LIST_WRITES.unfollow, async (call): Promise<ListAnswers['follow']> => {
      const user = ownId(call.caller, call.params.id);
      await unrelate(deps, call, ['subscription'], user, call.params.list_id);
      return { data: { following: false } };
    }),
    http.serve(LIST_WRITES.pin, async (call): Promise<ListAnswers['pin']> => {
      const user = ownId(call.caller, call.params.id);
      const { id } = seenList(call, call.body.list_id, 'list_id');
      await change(deps, call, { what: 'relate', of: ['pin', user, id] });
      return { data: { pinned: true } };
    }),
    http.serve(LIST_WRITES.unpin, async (call): Promise<ListAnswers['pin']> => {
      const user = ownId(call.caller, call.params.id);
      await unrelate(deps, call, ['pin'], user, call.params.list_id);
      return { data: { pinned: false } };
    }),
  ];
}
