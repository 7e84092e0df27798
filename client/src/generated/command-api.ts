/** Generated from docs/reference/openapi/command-api.json by `npm run reference`; a test fails when this file is stale. */
export interface paths {
    "/popsvc/v1/pop/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store proof-of-play events in the canonical schema. */
        post: operations["recordPopEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/pop/dynamic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store proof-of-play events in a schema of your own, which a mapping turns into plays. */
        post: operations["recordDynamicPop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/heartbeats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store heartbeats of devices, of apps on them, and of feeders. */
        post: operations["recordHeartbeats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/intervals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store intervals during which apps on devices were running or stopped. */
        post: operations["recordIntervals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/audience/detections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store detections of people and vehicles in front of devices. */
        post: operations["recordDetections"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/pop/dynamic/bulk/upload-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a URL to upload a file of dynamic events to. */
        post: operations["requestUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/uploads/{network}/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Upload a file to the URL that was issued for it. */
        put: operations["uploadFile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/pop/dynamic/bulk/ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start the ingestion of an uploaded file. */
        post: operations["startBulkIngest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/pop/dynamic/bulk/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The status of a bulk ingestion job. */
        get: operations["getBulkJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/pop/events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The status of an event: how often it was received, how each receipt counts, and where it is reported. */
        get: operations["getEventFeedback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process runs. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Readiness of the service and its dependencies. */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics in the Prometheus text format; from this machine or with the operator token. */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as OpenAPI 3.1 has it. */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as a page. */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        BulkJob: {
            jobId: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed" | "partially_completed";
            /**
             * Format: int64
             * @description Rows of the file; present once the worker has read the file to its end.
             */
            totalRows?: number;
            /**
             * Format: int64
             * @description Rows that were accepted.
             */
            processedRows: number;
            /**
             * Format: int64
             * @description Rows that failed.
             */
            errorRows: number;
            /** @description The first 1,000 rows that failed. */
            errors: {
                /** Format: int64 */
                row: number;
                error: string;
            }[];
            /**
             * Format: date-time
             * @description Start of processing; before that, the time at which the job was queued.
             */
            startedAt: string;
            /** Format: date-time */
            completedAt: string | null;
            /**
             * Format: int64
             * @description Approximate number of bytes read so far.
             */
            bytesRead: number;
            /**
             * Format: int64
             * @description Size of the file.
             */
            sizeBytes: number;
            /** @description Reason of a failure. */
            message?: string;
        };
        EventFeedback: {
            eventId: string;
            /**
             * @description accepted: the event is a play and will soon be in the reports. projected: it is in the reports. quarantined: no receipt could be converted to a play yet; the event is stored and retried automatically.
             * @enum {string}
             */
            status: "accepted" | "projected" | "quarantined";
            /** @description All receipts; received is the sum of the others. */
            counts: {
                /** Format: int64 */
                received: number;
                /** Format: int64 */
                stored: number;
                /** Format: int64 */
                duplicate: number;
                /** Format: int64 */
                conflict: number;
                /** Format: int64 */
                quarantined: number;
            };
            /** @description The first 100, in the order in which they were recorded. */
            receipts: {
                /**
                 * Format: date-time
                 * @description When the service received the request.
                 * @example 2026-08-20T14:03:07.250Z
                 */
                receivedAt: string;
                /**
                 * Format: date-time
                 * @description When the event was durably appended to the log.
                 * @example 2026-08-20T14:03:07.250Z
                 */
                recordedAt: string;
                /**
                 * @description stored: the first receipt of this id; it defines the play. duplicate: the same content again; counted once. conflict: other content under the same id; the first receipt counts. quarantined: it cannot be converted to a play yet, see reason.
                 * @enum {string}
                 */
                outcome: "stored" | "duplicate" | "conflict" | "quarantined";
                /** @description Received more than 14 days after the play. */
                late: boolean;
                /** @description The play began more than 60 s after its receipt: check your clock. */
                clockAhead: boolean;
                /** @description Code of the reason of a quarantine. */
                code?: string;
                /** @description Reason of a quarantine: the field and its problem. */
                reason?: string;
                /**
                 * Format: date-time
                 * @description When the event left quarantine.
                 * @example 2026-08-20T14:03:07.250Z
                 */
                releasedAt?: string;
                /** @description Present for an event in your own schema. */
                schemaVersion?: string;
                /** @description Bulk job of the event. */
                jobId?: string;
                /**
                 * Format: int64
                 * @description Row of the bulk file, from 1.
                 */
                row?: number;
            }[];
            /** @description The current play; absent while every receipt is quarantined. */
            play?: {
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                playedAt: string;
                /** Format: int64 */
                durationMs: number;
                screenId: string;
                campaignId: string;
                creativeId: string;
                /** @description In the vocabulary of this service; unknown if the value sent has no equivalent. */
                playReason: string;
                /**
                 * Format: int64
                 * @description Null while the screen is not registered or the play is not projected.
                 */
                deviceId: number | null;
                /** Format: int64 */
                siteId: number | null;
            };
            /**
             * Format: int64
             * @description Rows of the coffee report for this play: one per detected person, or one without a person.
             */
            coffeeRows: number;
            /** @description Population types of these rows. */
            popTypes: string[];
            /**
             * Format: date-time
             * @description When these rows were projected.
             * @example 2026-08-20T14:03:07.250Z
             */
            projectedAt: string | null;
        };
        QueuedJob: {
            jobId: string;
            message: string;
        };
        ReceivedFile: {
            fileId: string;
            /** Format: int64 */
            sizeBytes: number;
            /** @description SHA-256 of the content received, in hex; compare it with that of your file. */
            sha256: string;
        };
        Upload: {
            /** @description Where to PUT the file; the URL itself is the credential. */
            uploadUrl: string;
            /** @description The id to ingest the file with afterwards. */
            fileId: string;
            /** @description The Content-Type to PUT the file with. */
            contentType: string;
            uploadInstructions: string;
        };
        Valid: {
            message: string;
        };
        /** @description Every JSON error has this shape. */
        Error: {
            /** @constant */
            status: false;
            /** @description For people; it may improve. Programs go by the code. */
            message: string;
            error: {
                /** @enum {string} */
                code: "INVALID_PARAM" | "INVALID_EVENT" | "INVALID_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN_NETWORKS" | "FORBIDDEN_ORIGIN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "UNAVAILABLE" | "INTERNAL";
                details: components["schemas"]["ErrorDetail"][];
            };
            request_id: string;
        };
        ErrorDetail: {
            /** @description Where: a parameter, or a field such as `events[3].playedAt`. */
            path: string;
            /** @description What is wrong with it. */
            message: string;
        };
    };
    responses: {
        /** @description The body took too long to arrive. */
        BodyTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_REQUEST";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `CONFLICT`: The request contradicts what is already stored. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "CONFLICT";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `FORBIDDEN_NETWORKS`: The credential does not grant access to this resource. */
        ForbiddenNetworks: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "FORBIDDEN_NETWORKS";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `INTERNAL`: Internal error. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INTERNAL";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /**
         * @description `INVALID_EVENT`: The request contains invalid events; no event was stored.
         *
         *     `INVALID_PARAM`: A query or path parameter is not valid.
         *
         *     `INVALID_REQUEST`: The request is not valid.
         */
        InvalidEventOrInvalidParamOrInvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_EVENT" | "INVALID_PARAM" | "INVALID_REQUEST";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `INVALID_PARAM`: A query or path parameter is not valid. */
        InvalidParam: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_PARAM";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /**
         * @description `INVALID_PARAM`: A query or path parameter is not valid.
         *
         *     `INVALID_REQUEST`: The request is not valid.
         */
        InvalidParamOrInvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_PARAM" | "INVALID_REQUEST";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `NOT_FOUND`: The resource does not exist. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "NOT_FOUND";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The request body is too large. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "PAYLOAD_TOO_LARGE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many requests. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNAUTHORIZED`: A valid credential is required. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNAVAILABLE`: The service is temporarily unavailable. Retry later. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNAVAILABLE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The content type or encoding of the body is not supported. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNSUPPORTED_MEDIA_TYPE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description Any other refusal. */
        OtherError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Names this request in our logs; yours if you sent one.
         * @example 5f0c7a0e-6f0f-4c1e-9a3e-0c6a7a1f2b3d
         */
        "X-Request-Id": string;
        /**
         * @description Everything received until then is in the answer; absent while that is not known.
         * @example 2026-08-20T14:03:07.250Z
         */
        "X-Data-As-Of": string;
        /**
         * @description `true`: this is the answer of an earlier request with the same Idempotency-Key.
         * @example true
         */
        "Idempotency-Replayed": string;
        /**
         * @description Seconds after which to try again.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description What credential is due, and what is wrong with the one that was sent (RFC 6750).
         * @example Bearer realm="popsvc"
         */
        "WWW-Authenticate": string;
        /**
         * @description Burst and the seconds in which it fills, by unit (draft-ietf-httpapi-ratelimit-headers).
         * @example "requests";q=4000;qu="requests";w=2
         */
        "RateLimit-Policy": string;
        /**
         * @description What is left of it, by unit, and the seconds until it is full. Only API keys have rates.
         * @example "requests";r=3999;t=1
         */
        RateLimit: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    recordPopEvents: {
        parameters: {
            query?: {
                /** @description `true`: only check whether the request would be accepted, and respond with 200; nothing is stored. */
                validate_only?: boolean;
            };
            header?: {
                /** @description Makes the request safe to repeat for 24 h: the same key with the same body stores nothing again and gets the same response; the same key with another body is rejected with 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    events: {
                        /** @description Unique id of the event within the vendor. */
                        eventId: string;
                        screenId: string;
                        /** @description The vendor's own name of the site; stored, never used for access control. */
                        siteId?: string;
                        campaignId: string;
                        creativeId: string;
                        /**
                         * Format: date-time
                         * @description Start of the play.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        playedAt: string;
                        /** @description Milliseconds. */
                        durationMs: number;
                        /** @description Why playback was initiated, for example scheduled or triggered. */
                        startReason?: string;
                        impressions?: {
                            ageBuckets?: {
                                total?: number;
                                male?: number;
                                female?: number;
                            } & {
                                [key: string]: unknown;
                            };
                        } & {
                            [key: string]: unknown;
                        };
                        context?: {
                            [key: string]: unknown;
                        };
                        device?: {
                            [key: string]: unknown;
                        };
                    }[];
                };
            };
        };
        responses: {
            /** @description Valid; nothing was stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: int64 */
                        eventCount: number;
                    };
                };
            };
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: date-time */
                        acceptedAt: string;
                        /** Format: int64 */
                        eventCount: number;
                    };
                };
            };
            400: components["responses"]["InvalidEventOrInvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    recordDynamicPop: {
        parameters: {
            query?: {
                /** @description `true`: only check whether the request would be accepted, and respond with 200; nothing is stored. */
                validate_only?: boolean;
            };
            header?: {
                /** @description Makes the request safe to repeat for 24 h: the same key with the same body stores nothing again and gets the same response; the same key with another body is rejected with 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Your name for the schema of these events. */
                    schemaVersion: string;
                    events: {
                        [key: string]: unknown;
                    }[];
                };
            };
        };
        responses: {
            /** @description Valid; nothing was stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: int64 */
                        eventCount: number;
                        /** @description Your name for the schema of these events. */
                        schemaVersion: string;
                    };
                };
            };
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: date-time */
                        acceptedAt: string;
                        /** Format: int64 */
                        eventCount: number;
                        /** @description Your name for the schema of these events. */
                        schemaVersion: string;
                    };
                };
            };
            400: components["responses"]["InvalidEventOrInvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    recordHeartbeats: {
        parameters: {
            query?: {
                /** @description `true`: only check whether the request would be accepted, and respond with 200; nothing is stored. */
                validate_only?: boolean;
            };
            header?: {
                /** @description Makes the request safe to repeat for 24 h: the same key with the same body stores nothing again and gets the same response; the same key with another body is rejected with 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    heartbeats: {
                        /**
                         * Format: int64
                         * @description The device; not together with feederId.
                         */
                        deviceId?: number;
                        /**
                         * Format: int64
                         * @description The feeder; not together with deviceId.
                         */
                        feederId?: number;
                        /** @description The app on the device. */
                        appCode?: string;
                        /**
                         * @description State of the app; default running.
                         * @enum {string}
                         */
                        state?: "running" | "stopped";
                        /**
                         * Format: date-time
                         * @description Time of the heartbeat.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        at: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Valid; nothing was stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: int64 */
                        eventCount: number;
                    };
                };
            };
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: date-time */
                        acceptedAt: string;
                        /** Format: int64 */
                        eventCount: number;
                    };
                };
            };
            400: components["responses"]["InvalidEventOrInvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    recordIntervals: {
        parameters: {
            query?: {
                /** @description `true`: only check whether the request would be accepted, and respond with 200; nothing is stored. */
                validate_only?: boolean;
            };
            header?: {
                /** @description Makes the request safe to repeat for 24 h: the same key with the same body stores nothing again and gets the same response; the same key with another body is rejected with 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    intervals: {
                        /** Format: int64 */
                        deviceId: number;
                        appCode: string;
                        /** @enum {string} */
                        state: "running" | "stopped";
                        /**
                         * Format: date-time
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        startedAt: string;
                        /**
                         * Format: date-time
                         * @description Null or absent while the interval lasts.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        endedAt?: string | null;
                        /**
                         * Format: date-time
                         * @description Last heartbeat of the app in this state.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        lastHeartbeatAt?: string | null;
                        /**
                         * Format: int64
                         * @description Between otherwise equal intervals the higher revision wins; default 0.
                         */
                        revision?: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description Valid; nothing was stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: int64 */
                        eventCount: number;
                    };
                };
            };
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: date-time */
                        acceptedAt: string;
                        /** Format: int64 */
                        eventCount: number;
                    };
                };
            };
            400: components["responses"]["InvalidEventOrInvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    recordDetections: {
        parameters: {
            query?: {
                /** @description `true`: only check whether the request would be accepted, and respond with 200; nothing is stored. */
                validate_only?: boolean;
            };
            header?: {
                /** @description Makes the request safe to repeat for 24 h: the same key with the same body stores nothing again and gets the same response; the same key with another body is rejected with 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    detections: {
                        detectionId: string;
                        /**
                         * Format: int64
                         * @description A higher revision replaces a lower one; default 0.
                         */
                        revision?: number;
                        /** Format: int64 */
                        deviceId: number;
                        /** Format: int64 */
                        feederId?: number;
                        /** Format: int64 */
                        cameraId?: number;
                        /**
                         * Format: int64
                         * @description Integer of at most 53 bits.
                         */
                        watcherId: number;
                        reid?: string;
                        /**
                         * Format: date-time
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        startedAt: string;
                        /**
                         * Format: date-time
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        endedAt: string;
                        gender?: string;
                        age?: number | string;
                        ageCategory?: string;
                        mood?: string;
                        /** @description Metres. */
                        distance?: number[];
                        watches: {
                            /**
                             * Format: date-time
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            startedAt: string;
                            /**
                             * Format: date-time
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            endedAt: string;
                        }[];
                        /** @enum {string} */
                        population?: "VIEWER" | "FOOTFALL" | "VEHICLE";
                    }[];
                };
            };
        };
        responses: {
            /** @description Valid; nothing was stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: int64 */
                        eventCount: number;
                    };
                };
            };
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** Format: date-time */
                        acceptedAt: string;
                        /** Format: int64 */
                        eventCount: number;
                    };
                };
            };
            400: components["responses"]["InvalidEventOrInvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    requestUpload: {
        parameters: {
            query?: {
                /** @description `true`: only check whether the request would be accepted, and respond with 200; nothing is stored. */
                validate_only?: boolean;
            };
            header?: {
                /** @description Makes the request safe to repeat for 24 h: the same key with the same body stores nothing again and gets the same response; the same key with another body is rejected with 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    fileName: string;
                    /** @enum {string} */
                    format: "ndjson" | "json" | "csv";
                    /**
                     * @description How long the upload URL is valid.
                     * @default 3600
                     */
                    expiresInSeconds?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"] | components["schemas"]["Valid"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    uploadFile: {
        parameters: {
            query: {
                format: "ndjson" | "json" | "csv";
                /** @description When the URL expires, ms since 1970. */
                expires: number;
                signature: string;
            };
            header?: never;
            path: {
                network: number;
                fileId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
                "application/json": string;
                "text/csv": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceivedFile"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            403: components["responses"]["ForbiddenNetworks"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    startBulkIngest: {
        parameters: {
            query?: {
                /** @description `true`: only check whether the request would be accepted, and respond with 200; nothing is stored. */
                validate_only?: boolean;
            };
            header?: {
                /** @description Makes the request safe to repeat for 24 h: the same key with the same body stores nothing again and gets the same response; the same key with another body is rejected with 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description As returned with the upload URL. */
                    fileId: string;
                    /** @description Your name for the schema of these events. */
                    schemaVersion: string;
                    /** @description Any key-value pairs; stored with the job. */
                    metadata?: {
                        /** @description The boolean false: the CSV has no header row. */
                        header?: unknown;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Valid"];
                };
            };
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedJob"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getBulkJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id returned when the job was queued. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkJob"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getEventFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As you sent it, percent-encoded. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventFeedback"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        /** @constant */
                        message: "alive";
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        /** @constant */
                        message: "ready";
                        /** @description Dependencies that are ready, by name. */
                        checks: {
                            [key: string]: "ok";
                        };
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                        info: {
                            [key: string]: unknown;
                        };
                        paths: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
}
