import { transferHandlers } from 'comlink';
import { Fault, type FaultBody } from '#contract/fault.ts';

interface Thrown {
  readonly value: unknown;
}

interface SentFault {
  readonly fault: { readonly status: number; readonly body: FaultBody };
}

const isSentFault = (sent: object): sent is SentFault => 'fault' in sent;

/** Preserves a {@link Fault} that the worker throws: Comlink itself sends only the message of an error. */
export function transferFaults(): void {
  const errors = transferHandlers.get('throw');
  if (!errors) throw new RangeError('expected Comlink to have a handler for errors, got none');
  transferHandlers.set('throw', {
    canHandle: errors.canHandle,
    serialize: (thrown: Thrown) => {
      if (!(thrown.value instanceof Fault)) return errors.serialize(thrown);
      const { status, body } = thrown.value;
      return [{ fault: { status, body } } satisfies SentFault, []];
    },
    deserialize: (sent: object) => {
      if (isSentFault(sent)) throw new Fault(sent.fault.status, sent.fault.body);
      return errors.deserialize(sent);
    },
  });
}
