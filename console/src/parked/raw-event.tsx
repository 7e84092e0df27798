import { useState } from 'preact/hooks';
import { Button } from '../components/controls.tsx';

const formatJson = (raw: unknown): string => {
  if (typeof raw !== 'string') return JSON.stringify(raw, null, 2);
  try {
    return JSON.stringify(JSON.parse(raw), null, 2);
  } catch {
    return raw;
  }
};

export const RawEvent = ({ raw, id }: { readonly raw: unknown; readonly id: string }) => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        kind="quiet"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? 'Hide' : 'Show'} event ${id}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? 'Hide event' : 'Show event'}
      </Button>
      {isOpen && (
        <pre class="raw-event" tabIndex={0} role="region" aria-label={`Event ${id}`}>
          {formatJson(raw)}
        </pre>
      )}
    </>
  );
};
