export interface paths {
    "/api/v1/coffee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Campaign-level audience and engagement: one row a play and detection, or one a play nobody was seen at. */
        get: operations["getApiV1Coffee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/watcher-summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Watcher observations: one row a detection, observed at its start. */
        get: operations["getApiV1WatcherSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/coffee/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Campaign-level audience and engagement: one row a play and detection, or one a play nobody was seen at. As a file. */
        get: operations["getApiV1CoffeeDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/watcher-summary/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Watcher observations: one row a detection, observed at its start. As a file. */
        get: operations["getApiV1WatcherSummaryDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metric-definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every version of the thresholds of the request's network. */
        get: operations["getApiV1MetricDefinitions"];
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
        /** What became of an event: how often it was received, what each receipt counts as, and where it is reported. */
        get: operations["getPopsvcV1PopEventsEventId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An access token for a client id and its secret. */
        post: operations["postOauthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Public keys of access tokens. */
        get: operations["getWellKnownJwksJson"];
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
        get: operations["getHealthz"];
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
        /** Everything this service needs answers. */
        get: operations["getReadyz"];
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
        /** Figures for Prometheus; from this machine, else with the operator token. */
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
    "/api/v1/devices/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["apiv1devicesstatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/status/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["apiv1devicesstatusid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/feeders/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["apiv1feedersstatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/feeders/status/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["apiv1feedersstatusid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/device-apps/{deviceId}/{appCode}/uptime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["apiv1deviceappsdeviceIdappCodeuptime"];
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
        /** @description Every JSON error has this shape. */
        Error: {
            /** @constant */
            status: false;
            /** @description For people; it may improve. Programs go by the code. */
            message: string;
            error: {
                /** @enum {string} */
                code: "INVALID_PARAM" | "INVALID_EVENT" | "INVALID_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN_NETWORKS" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "UNAVAILABLE" | "INTERNAL";
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
        /** @description `FORBIDDEN_NETWORKS`: The credential gives no access to this. */
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
        /** @description `INTERNAL`: Something went wrong on our side. */
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
        /** @description `INVALID_REQUEST`: The request is not valid. */
        InvalidRequest: {
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
        /** @description `UNAUTHORIZED`: A valid credential is needed. */
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
        /** @description `UNAVAILABLE`: The service cannot answer now; try again. */
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
    getApiV1Coffee: {
        parameters: {
            query: {
                /** @description Start of the window, part of it. A date alone is its midnight in UTC. A plus sign of an offset is written %2B. */
                from: string;
                /** @description End of the window, not part of it; at most 31 days after from. A date alone is its midnight in UTC. A plus sign of an offset is written %2B. */
                to: string;
                /** @description Only these sites of the network; repeat it for several. */
                site_id?: number | number[];
                /** @description Rows to skip; ignored when after is given. */
                offset?: number;
                /** @description Most rows of the page. */
                limit?: number;
                /** @description By time. */
                sort?: "asc" | "desc";
                /** @description Go on after this instant: the next_after of the page before, or any datetime with Z or an offset. */
                after?: string;
                /** @description `ndjson`: one row a line, total and cursor in headers. An Accept header that is exactly application/x-ndjson says the same. */
                format?: "json" | "ndjson";
            };
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
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            total: number;
                            limit: number;
                            next_after: string | null;
                            count: number;
                            rows: {
                                EVENT_ID: string;
                                WATCHERID: number;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getApiV1WatcherSummary: {
        parameters: {
            query: {
                /** @description Start of the window, part of it. A plus sign of an offset is written %2B. */
                from: string;
                /** @description End of the window, not part of it; at most 31 days after from. A plus sign of an offset is written %2B. */
                to: string;
                /** @description Only these sites of the network; repeat it for several. */
                site_id?: number | number[];
                /** @description Rows to skip; ignored when after is given. */
                offset?: number;
                /** @description Most rows of the page. */
                limit?: number;
                /** @description By time. */
                sort?: "asc" | "desc";
                /** @description Go on after this instant: the next_after of the page before, or any datetime with Z or an offset. */
                after?: string;
                /** @description `ndjson`: one row a line, total and cursor in headers. An Accept header that is exactly application/x-ndjson says the same. */
                format?: "json" | "ndjson";
            };
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
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            total: number;
                            limit: number;
                            next_after: string | null;
                            count: number;
                            rows: {
                                EVENT_ID: string;
                                WATCHERID: number;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getApiV1CoffeeDownload: {
        parameters: {
            query: {
                /** @description Start of the window, part of it. A date alone is its midnight in UTC. A plus sign of an offset is written %2B. */
                from: string;
                /** @description End of the window, not part of it; at most 31 days after from. A date alone is its midnight in UTC. A plus sign of an offset is written %2B. */
                to: string;
                /** @description Only these sites of the network; repeat it for several. */
                site_id?: number | number[];
                /** @description Rows to skip. */
                offset?: number;
                /** @description Most rows of the file; without it, all. */
                limit?: number;
                /** @description An Accept header that is exactly application/x-ndjson or application/vnd.apache.parquet says the same. */
                format?: "csv" | "ndjson" | "parquet";
                /** @description CSV alone: whether an apostrophe is put before text that a spreadsheet would run as a formula. */
                excel_safe?: "true" | "false";
            };
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
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getApiV1WatcherSummaryDownload: {
        parameters: {
            query: {
                /** @description Start of the window, part of it. A plus sign of an offset is written %2B. */
                from: string;
                /** @description End of the window, not part of it; at most 31 days after from. A plus sign of an offset is written %2B. */
                to: string;
                /** @description Only these sites of the network; repeat it for several. */
                site_id?: number | number[];
                /** @description Rows to skip. */
                offset?: number;
                /** @description Most rows of the file; without it, all. */
                limit?: number;
                /** @description An Accept header that is exactly application/x-ndjson or application/vnd.apache.parquet says the same. */
                format?: "csv" | "ndjson" | "parquet";
                /** @description CSV alone: whether an apostrophe is put before text that a spreadsheet would run as a formula. */
                excel_safe?: "true" | "false";
            };
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
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getApiV1MetricDefinitions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description x */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            count: number;
                            rows: {
                                network_id: number;
                                version: number;
                                effective_from: string | null;
                                thresholds: {
                                    x: number;
                                };
                            }[];
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getPopsvcV1PopEventsEventId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        eventId: string;
                        /**
                         * @description accepted: it is a play, and the reports will have it in a moment. projected: it is in the reports. quarantined: no receipt of it could be made a play yet; it is kept and tried again by itself.
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
                             * @description When we took the request in.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            receivedAt: string;
                            /**
                             * Format: date-time
                             * @description When it was in the log, and so safe.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            recordedAt: string;
                            /**
                             * @description stored: the first of this id, the play is what it says. duplicate: the same content again, counted once. conflict: other content under the same id; the first stays. quarantined: it cannot be made a play yet, see reason.
                             * @enum {string}
                             */
                            outcome: "stored" | "duplicate" | "conflict" | "quarantined";
                            /** @description Received more than 14 days after the play. */
                            late: boolean;
                            /** @description The play began more than 60 s after its receipt: look at your clock. */
                            clockAhead: boolean;
                            /** @description Why it is quarantined, in one word. */
                            code?: string;
                            /** @description Why it is quarantined: which field, and what is wrong with it. */
                            reason?: string;
                            /**
                             * Format: date-time
                             * @description When it left quarantine.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            releasedAt?: string;
                            /** @description Of an event in your own schema that is or was in quarantine. */
                            schemaVersion?: string;
                            /** @description Bulk job it came with, if it is or was in quarantine. */
                            jobId?: string;
                            /**
                             * Format: int64
                             * @description Row of that file, from 1.
                             */
                            row?: number;
                        }[];
                        /** @description As it stands; absent while every receipt is quarantined. */
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
                            /** @description In our words; unknown where yours has no equivalent. */
                            playReason: string;
                            /**
                             * Format: int64
                             * @description Null while the screen is not registered, or not projected.
                             */
                            deviceId: number | null;
                            /** Format: int64 */
                            siteId: number | null;
                        };
                        /**
                         * Format: int64
                         * @description Rows of the report coffee it went into: one for each person seen, or one for nobody.
                         */
                        coffeeRows: number;
                        /** @description Kinds of those rows. */
                        popTypes: string[];
                        /**
                         * Format: date-time
                         * @description When those rows were made.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        projectedAt: string | null;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    postOauthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            400: components["responses"]["InvalidRequest"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getWellKnownJwksJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getHealthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
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
            400: components["responses"]["InvalidParam"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    apiv1devicesstatus: {
        parameters: {
            query?: {
                site_id?: number | number[];
                location_id?: number | number[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description x */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            count: number;
                            rows: {
                                id: number;
                                name: string;
                                network: {
                                    id: number;
                                    name: string;
                                };
                                site: {
                                    id: number;
                                    name: string;
                                };
                                location: {
                                    id: number;
                                    name: string;
                                };
                                /** @enum {string} */
                                status: "online" | "offline";
                                last_active_timestamp: string | null;
                                /** @constant */
                                source: "heartbeat";
                            }[];
                        };
                    };
                };
            };
        };
    };
    apiv1devicesstatusid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description x */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            id: number;
                            name: string;
                            network: {
                                id: number;
                                name: string;
                            };
                            site: {
                                id: number;
                                name: string;
                            };
                            location: {
                                id: number;
                                name: string;
                            };
                            /** @enum {string} */
                            status: "online" | "offline";
                            last_active_timestamp: string | null;
                            /** @constant */
                            source: "heartbeat";
                        };
                    };
                };
            };
        };
    };
    apiv1feedersstatus: {
        parameters: {
            query?: {
                site_id?: number | number[];
                location_id?: number | number[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description x */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            count: number;
                            rows: {
                                id: number;
                                name: string;
                                network: {
                                    id: number;
                                    name: string;
                                };
                                site: {
                                    id: number;
                                    name: string;
                                };
                                location: {
                                    id: number;
                                    name: string;
                                };
                                /** @enum {string} */
                                status: "online" | "offline";
                                last_active_timestamp: string | null;
                                /** @constant */
                                source: "heartbeat";
                                device: {
                                    id: number;
                                    name: string;
                                };
                            }[];
                        };
                    };
                };
            };
        };
    };
    apiv1feedersstatusid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description x */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            id: number;
                            name: string;
                            network: {
                                id: number;
                                name: string;
                            };
                            site: {
                                id: number;
                                name: string;
                            };
                            location: {
                                id: number;
                                name: string;
                            };
                            /** @enum {string} */
                            status: "online" | "offline";
                            last_active_timestamp: string | null;
                            /** @constant */
                            source: "heartbeat";
                            device: {
                                id: number;
                                name: string;
                            };
                        };
                    };
                };
            };
        };
    };
    apiv1deviceappsdeviceIdappCodeuptime: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                deviceId: number;
                appCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description x */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            app: {
                                code: string;
                            };
                            device: {
                                id: number;
                                name: string;
                            };
                            summary: {
                                running_seconds: number;
                                stopped_seconds: number;
                                uptime_pct: number;
                                interval_count: number;
                            };
                        };
                    };
                };
            };
        };
    };
}
