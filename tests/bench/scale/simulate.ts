import { Random } from '#server/sample/random.ts';
import { Events } from './events.ts';

/** A page as it arrives: which part of time it asks for, and what it costs. */
export interface Page {
  /** Number of the 31-day cell. */
  readonly cell: number;
  /** Nodes over which that cell is spread. */
  readonly width: number;
  /** Milliseconds that a core of a node computes for its part, without the noise of the node. */
  readonly part: number;
}

/** Times of a page apart from its parts, ms. */
interface Merging {
  /** Adding one answer of counts to another, on a core. */
  readonly perAnswer: number;
  /** Writing the answer of the whole page, on a core. */
  readonly answer: number;
  /** There and back between two nodes, without the bytes. */
  readonly roundTrip: number;
  /** Receiving one answer of counts. */
  readonly transfer: number;
  /** Answers that one node merges; more of them are merged in two levels. */
  readonly group: number;
}

export interface Setup {
  /** Nodes that hold Posts. */
  readonly nodes: number;
  /** Nodes that hold none, ask those that do, and merge their answers. */
  readonly fronts: number;
  /** Cores of each node. */
  readonly cores: number;
  /** Nodes that hold each part of a cell. */
  readonly copies: number;
  /** Pages a second. */
  readonly rate: number;
  /** Number of pages that arrive. */
  readonly pages: number;
  readonly page: (random: Random) => Page;
  /** Factor by which a node takes longer for one part. */
  readonly noise: (random: Random) => number;
  readonly merging: Merging;
  /** Milliseconds after which the next copy of a part that should take so long is asked too; Infinity for never. */
  readonly again: (part: number) => number;
  /** Nodes that are down, drawn at random, and whether that is known before they are asked. */
  readonly down: number;
  readonly known: boolean;
  readonly seed: number;
}

/** The result of a simulation. Times are in ms. */
export interface Outcome {
  /** From the arrival of each answered page to its answer, in the order of the answers. */
  readonly latencies: Float64Array;
  /** Pages with a part that no node could answer. */
  readonly refused: number;
  readonly jobs: {
    readonly sent: number;
    readonly done: number;
    /** Removed before they began, because another copy had answered. */
    readonly cancelled: number;
    /** Sent to a node that was down. */
    readonly lost: number;
    /** Of those sent: asked of the next copy. */
    readonly again: number;
  };
  /** From the first arrival to the last event. */
  readonly duration: number;
  /** Core time of all jobs. */
  readonly busy: number;
  /** Core time of the busiest node with Posts, and of the busiest front, by that of its cores while pages arrived. */
  readonly busiest: { readonly node: number; readonly front: number };
  /** Jobs at the nodes, waiting or running, summed over time. */
  readonly area: number;
  /** Sum of each job's time at its node. */
  readonly sojourn: number;
}

const NONE = -1;
const QUEUED = 0;
const RUNNING = 1;
const DONE = 2;
const CANCELLED = 3;

/** Nodes of a part, the preferred one first: its copies lie as far apart as possible. */
export function nodesOf(
  { nodes, copies }: Pick<Setup, 'nodes' | 'copies'>,
  cell: number,
  part: number,
  preferred: number,
): number[] {
  // Knuth's multiplicative hash spreads the cells.
  const first = (Math.imul(cell + 1, 2_654_435_761) >>> 0) % nodes;
  return Array.from({ length: copies }, (_, i) => {
    const copy = (preferred + i) % copies;
    return (first + part + Math.floor((copy * nodes) / copies)) % nodes;
  });
}

/** Draws so many of the nodes. */
function drawn(random: Random, nodes: number, many: number): Uint8Array {
  const order = Array.from({ length: nodes }, (_, node) => node);
  const found = new Uint8Array(nodes);
  for (let i = 0; i < many; i++) {
    const j = i + random.below(nodes - i);
    [order[i], order[j]] = [order[j]!, order[i]!];
    found[order[i]!] = 1;
  }
  return found;
}

/** A part of a page, or the merging of answers. */
interface Task {
  readonly page: Running;
  /** Number of the group whose answers it is or merges; NONE for the whole page's. */
  readonly group: number;
  readonly isMerge: boolean;
  readonly cost: number;
  /** Nodes to ask, in this order. */
  readonly nodes: readonly number[];
  /** The number of them that were asked. */
  asked: number;
  isDone: boolean;
  jobs: Job[];
}

/** A task at a node. */
interface Job {
  readonly task: Task;
  readonly node: number;
  readonly since: number;
  state: typeof QUEUED | typeof RUNNING | typeof DONE | typeof CANCELLED;
}

/** A page that is not answered yet. */
interface Running {
  readonly arrived: number;
  readonly width: number;
  /** Answers missing by group. */
  readonly missing: Int32Array;
  groups: number;
  isOver: boolean;
}

/** A node: cores that take jobs first come, first served. */
interface Node {
  running: number;
  busy: number;
  queue: Job[];
  head: number;
}

/** The event at a time. */
type Event =
  | { readonly kind: 'reach'; readonly tasks: readonly Task[] }
  | { readonly kind: 'end'; readonly job: Job }
  | { readonly kind: 'again'; readonly task: Task; readonly asked: number }
  | { readonly kind: 'answer'; readonly page: Running };

/**
 * Replays pages of counts over many nodes: each page is asked of one copy of every part of its cell; answers are merged,
 * in two levels if there are many; every node has a queue. A copy that takes too long is not waited for: the next one is
 * asked too, and the first answer counts. A page is refused if no copy of one of its parts can answer, because a smaller
 * number would be wrong.
 *
 * @returns The same for the same setup.
 */
export function simulate(setup: Setup): Outcome {
  return new Simulation(setup).run();
}

class Simulation {
  readonly #setup: Setup;
  /** Of what arrives, and of what nodes do: the same pages arrive whatever happens to them. */
  readonly #arrivals: Random;
  readonly #random: Random;
  readonly #nodes: Node[];
  readonly #down: Uint8Array;
  readonly #queue = new Events();
  /** By number; free numbers are used again. */
  readonly #events: (Event | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #latencies: number[] = [];
  #now = 0;
  #here = 0;
  #area = 0;
  #sojourn = 0;
  #busy = 0;
  #refused = 0;
  #sent = 0;
  #done = 0;
  #cancelled = 0;
  #lost = 0;
  #again = 0;

  constructor(setup: Setup) {
    const { nodes, fronts, copies, down } = setup;
    if (copies > nodes) throw new RangeError(`expected at most ${nodes} copies, got ${copies}`);
    if (down > nodes) throw new RangeError(`expected at most ${nodes} nodes down, got ${down}`);
    this.#setup = setup;
    this.#arrivals = new Random(2 * setup.seed);
    this.#random = new Random(2 * setup.seed + 1);
    this.#down = drawn(this.#arrivals, nodes, down);
    this.#nodes = Array.from({ length: nodes + fronts }, () => ({
      running: 0,
      busy: 0,
      queue: [],
      head: 0,
    }));
  }

  run(): Outcome {
    const { rate, pages, nodes, cores } = this.#setup;
    let arrival = 0;
    let last = 0;
    for (let arrived = 0; arrived < pages || this.#queue.size > 0;) {
      if (arrived < pages && arrival <= this.#queue.next) {
        this.#advance(arrival);
        last = arrival;
        this.#arrive();
        arrived++;
        arrival += (-Math.log(1 - this.#arrivals.next()) * 1000) / rate;
        continue;
      }
      this.#advance(this.#queue.next);
      const number = this.#queue.take();
      const event = this.#events[number]!;
      this.#events[number] = undefined;
      this.#free.push(number);
      this.#happen(event);
    }
    const most = (some: readonly Node[]): number =>
      some.reduce((most, { busy }) => Math.max(most, busy), 0) / cores / last;
    return {
      latencies: Float64Array.from(this.#latencies),
      refused: this.#refused,
      jobs: {
        sent: this.#sent,
        done: this.#done,
        cancelled: this.#cancelled,
        lost: this.#lost,
        again: this.#again,
      },
      duration: this.#now,
      busy: this.#busy,
      busiest: { node: most(this.#nodes.slice(0, nodes)), front: most(this.#nodes.slice(nodes)) },
      area: this.#area,
      sojourn: this.#sojourn,
    };
  }

  #advance(at: number): void {
    this.#area += this.#here * (at - this.#now);
    this.#now = at;
  }

  #at(delay: number, event: Event): void {
    const number = this.#free.pop() ?? this.#events.length;
    this.#events[number] = event;
    this.#queue.add(this.#now + delay, number);
  }

  #happen(event: Event): void {
    if (event.kind === 'reach') {
      for (const task of event.tasks) this.#ask(task);
    } else if (event.kind === 'end') this.#end(event.job);
    else if (event.kind === 'again') this.#askNext(event.task, event.asked);
    else this.#answer(event.page);
  }

  #arrive(): void {
    const { nodes, copies, merging, known } = this.#setup;
    const { cell, width, part } = this.#setup.page(this.#arrivals);
    if (width > nodes) throw new RangeError(`expected a width of at most ${nodes}, got ${width}`);
    const preferred = this.#arrivals.below(copies);
    const groups = Math.max(1, Math.ceil(width / merging.group));
    const missing = new Int32Array(groups);
    for (let i = 0; i < width; i++) missing[i % groups]!++;
    const page: Running = { arrived: this.#now, width, missing, groups, isOver: false };
    const tasks: Task[] = [];
    for (let i = 0; i < width; i++) {
      const all = nodesOf(this.#setup, cell, i, preferred + i);
      const some = known ? all.filter((node) => this.#down[node] === 0) : all;
      if (some.length === 0) {
        this.#refuse(page);
        return;
      }
      tasks.push({
        page,
        group: i % groups,
        isMerge: false,
        cost: part,
        nodes: some,
        asked: 0,
        isDone: false,
        jobs: [],
      });
    }
    this.#at(merging.roundTrip / 2, { kind: 'reach', tasks });
  }

  #refuse(page: Running): void {
    if (page.isOver) return;
    page.isOver = true;
    this.#refused++;
  }

  /** Sends a task to the next of its nodes. */
  #ask(task: Task): void {
    const node = task.nodes[task.asked++]!;
    const again = task.isMerge ? Infinity : this.#setup.again(task.cost);
    if (again < Infinity) this.#at(again, { kind: 'again', task, asked: task.asked });
    this.#sent++;
    if (this.#down[node] === 1) {
      this.#lost++;
      return;
    }
    const job: Job = { task, node, since: this.#now, state: QUEUED };
    task.jobs.push(job);
    this.#here++;
    this.#nodes[node]!.queue.push(job);
    this.#begin(this.#nodes[node]!);
  }

  /** Begins the jobs for which a node has a core. */
  #begin(node: Node): void {
    while (node.running < this.#setup.cores && node.head < node.queue.length) {
      const job = node.queue[node.head++]!;
      if (node.head === node.queue.length) {
        node.queue = [];
        node.head = 0;
      }
      if (job.state === CANCELLED) continue;
      job.state = RUNNING;
      node.running++;
      const { task } = job;
      const time = task.isMerge ? task.cost : task.cost * this.#setup.noise(this.#random);
      node.busy += time;
      this.#busy += time;
      this.#at(time, { kind: 'end', job });
    }
  }

  #leave(job: Job): void {
    this.#here--;
    this.#sojourn += this.#now - job.since;
  }

  #end(job: Job): void {
    const { task } = job;
    job.state = DONE;
    this.#done++;
    this.#leave(job);
    const node = this.#nodes[job.node]!;
    node.running--;
    if (!task.isDone) {
      task.isDone = true;
      for (const other of task.jobs) {
        if (other.state !== QUEUED) continue;
        other.state = CANCELLED;
        this.#cancelled++;
        this.#leave(other);
      }
      this.#answered(task);
    }
    this.#begin(node);
  }

  /** Asks the next copy, unless the task is done; refuses the page if no copy remains and none of them works. */
  #askNext(task: Task, asked: number): void {
    if (task.isDone || task.page.isOver || task.asked !== asked) return;
    if (task.asked < task.nodes.length) {
      this.#again++;
      this.#ask(task);
    } else if (task.jobs.length === 0) this.#refuse(task.page);
  }

  #answered({ page, group, isMerge }: Task): void {
    const { merging } = this.#setup;
    if (page.isOver) return;
    if (isMerge && group === NONE) {
      this.#at(merging.roundTrip / 2, { kind: 'answer', page });
      return;
    }
    if (!isMerge) {
      if (--page.missing[group]! > 0) return;
      const answers = Math.ceil((page.width - group) / page.missing.length);
      if (page.missing.length > 1) {
        this.#merge(page, group, answers, answers * merging.perAnswer);
        return;
      }
      this.#merge(page, NONE, answers, answers * merging.perAnswer + merging.answer);
      return;
    }
    if (--page.groups > 0) return;
    const answers = page.missing.length;
    this.#merge(page, NONE, answers, answers * merging.perAnswer + merging.answer);
  }

  /** Merges answers on a front, drawn at random. */
  #merge(page: Running, group: number, answers: number, cost: number): void {
    const { nodes, fronts, merging } = this.#setup;
    const node = nodes + this.#random.below(fronts);
    const task: Task = {
      page,
      group,
      isMerge: true,
      cost,
      nodes: [node],
      asked: 0,
      isDone: false,
      jobs: [],
    };
    this.#at(merging.roundTrip / 2 + answers * merging.transfer, { kind: 'reach', tasks: [task] });
  }

  #answer(page: Running): void {
    page.isOver = true;
    this.#latencies.push(this.#now - page.arrived);
  }
}
